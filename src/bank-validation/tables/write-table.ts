import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { TextDialect } from '../../lib/tables/table.ts';
import { encodeText } from '../../lib/tables/text-encoding.ts';
import { writeCsv } from '../../lib/tables/write-csv.ts';

/** Writes rows of cells; waits while the reader is slower. */
export type TableWriter = (rows: readonly (readonly string[])[]) => Promise<void>;

/** Returns a writer of text in `dialect` that leaves `output` open; with null, a writer that does nothing. */
export function tableWriter(output: Writable | null, dialect: TextDialect): TableWriter {
  if (output === null) return async () => {};
  let before = dialect.byteOrderMark ? '\ufeff' : '';
  return async (rows) => {
    if (output.errored) throw output.errored;
    const bytes = encodeText(before + writeCsv(rows, dialect), dialect.encoding);
    before = '';
    if (!output.write(bytes)) await once(output, 'drain');
  };
}
