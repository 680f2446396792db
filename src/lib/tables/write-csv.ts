import { stringify } from 'csv-stringify/sync';
import type { TextDialect } from './table.ts';

/**
 * Rows of cells as CSV: the one writer of every command.
 *
 * A cell that a spreadsheet would compute gets an apostrophe in front, because references, names and messages are chosen by
 * others. Numbers with a sign stay numbers.
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

/** The full-width signs are read as the others by spreadsheets of eastern Asia. */
const COMPUTED = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?$/;

function withoutFormula(cell: string): string {
  return COMPUTED.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
}
