import { stringify } from 'csv-stringify/sync';
import type { TextDialect } from './table.ts';

/**
 * Writes rows of cells as CSV, for every command.
 *
 * A cell that a spreadsheet would compute gets an apostrophe in front, because others choose references, names and
 * messages. Numbers with a sign stay numbers.
 */
export function writeCsv(
  rows: readonly (readonly string[])[],
  { separator, lineEnd }: Pick<TextDialect, 'separator' | 'lineEnd'>,
): string {
  return stringify(
    rows.map((row) => row.map(withoutFormula)),
    { delimiter: separator, record_delimiter: lineEnd, quoted_match: /[\r\n]/ },
  );
}

/** East Asian spreadsheets also accept full-width signs. */
const COMPUTED = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

function withoutFormula(cell: string): string {
  return COMPUTED.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
