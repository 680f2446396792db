import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { TextDialect } from '../lib/tables/table.ts';
import { encodeText } from '../lib/tables/text-encoding.ts';

/** Writes rows of cells, and waits while whoever takes them is slower than we are. */
export type TableWriter = (rows: readonly (readonly string[])[]) => Promise<void>;

/**
 * A writer of text as `dialect` says, which leaves `output` open; null where there is none.
 *
 * A cell that begins with = + - or @ gets an apostrophe in front: a spreadsheet would compute it.
 */
export function tableWriter(output: Writable | null, dialect: TextDialect): TableWriter {
  if (output === null) return async () => {};
  let before = dialect.byteOrderMark ? '\ufeff' : '';
  return async (rows) => {
    if (output.errored) throw output.errored;
    const text = stringify([...rows], {
      delimiter: dialect.separator,
      record_delimiter: dialect.lineEnd,
      quoted_match: /[\r\n]/,
      escape_formulas: true,
    });
    const bytes = encodeText(before + text, dialect.encoding);
    before = '';
    if (!output.write(bytes)) await once(output, 'drain');
  };
}
