/** A row that is not blank. Every cell is text as the file has it. */
export type TableRow = {
  /** The line of a text file where the row begins, or the row number in a spreadsheet; from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Only in a workbook or a page: a person has hidden the row, or a filter has. */
  readonly hidden?: true;
};

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * The encoding and the separator of a text file. windows-1252 is what spreadsheets call ANSI, and contains all
 * printable characters of Latin-1.
 */
export type TextDialect = {
  readonly format: 'text';
  readonly encoding: TextEncoding;
  readonly byteOrderMark: boolean;
  readonly separator: string;
  readonly lineEnd: '\n' | '\r\n' | '\r';
};

/** The format of the rows: text with separators, a sheet of a workbook (.xlsx, .xls), or a table of a page, from 1. */
export type Dialect =
  | TextDialect
  | { readonly format: 'xlsx' | 'xls'; readonly sheet: string }
  | { readonly format: 'html'; readonly table: number };

/**
 * One way to read the file from its beginning: one for each separator of a text file, each sheet of a workbook, each
 * table of a page.
 */
export type Reading = {
  readonly dialect: Dialect;
  readonly rows: () => AsyncGenerator<TableRow>;
  /** The part of the file that was read, 0 to 1. */
  readonly done: () => number;
};

export type TableErrorCode =
  | 'EMPTY'
  | 'NOT_TEXT'
  | 'PDF_FILE'
  | 'NOT_CSV'
  | 'ROW_TOO_LONG'
  | 'LOCKED_WORKBOOK'
  | 'BROKEN_WORKBOOK'
  | 'WORKBOOK_TOO_LARGE';

/** A file that is not a table. `message` says what was found and what to do, and quotes nothing from the file. */
export class TableError extends Error {
  readonly code: TableErrorCode;
  /** The line, if it is known. */
  readonly line: number | null;

  constructor(code: TableErrorCode, message: string, line: number | null = null) {
    super(message);
    this.code = code;
    this.line = line;
  }
}

/** The most characters of a row. It bounds the memory for a file without line ends. */
export const LONGEST_ROW = 65_536;

/**
 * More columns than any table has. A single cell in a spreadsheet's last column would otherwise make a row of 16,384
 * cells.
 */
export const MOST_COLUMNS = 1_000;

/**
 * Returns the most that the rows of a sheet may measure together, by `sizeOfRow`: a workbook of a few kilobytes can
 * hold one long text and a million cells that show it, and most readers keep all rows. Real sheets measure less than
 * ten times the bytes of their file.
 */
export function mostRowsOf(fileBytes: number): number {
  return 8 * 2 ** 20 + 30 * fileBytes;
}

/** Measures a row in characters. Rows and cells without text take memory too. */
export function sizeOfRow({ cells }: TableRow): number {
  return cells.reduce((sum, { length }) => sum + length + 8, 64);
}

/** Returns whether all cells of a row are empty. A spreadsheet may leave separators in such a row. */
export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/**
 * Replaces NUL in cells by U+FFFD, as browsers do, because PostgreSQL stores no NUL. Programs leave NULs in texts, and
 * a page writes them as `&#0;`.
 */
export function withoutNuls(cells: readonly string[]): readonly string[] {
  return cells.some((cell) => cell.includes('\0')) ? cells.map((cell) => cell.replaceAll('\0', '\ufffd')) : cells;
}

/**
 * Returns whether a row is a line of totals below a table: one of its cells begins with the word "total" or "suma", not
 * with a name such as Totalpack. `numbers`: cells with a RUT or an account, which such a line has not.
 */
export function isTotal(cells: readonly string[], numbers: readonly (string | undefined)[] = []): boolean {
  if (numbers.some((cell = '') => cell.replace(/\D/g, '').length >= 5)) return false;
  return cells.some((cell) => TOTAL.test(cell));
}

const TOTAL = /^\s*(?:(?:(?:sub|gran|grand|suma|monto)[\s-]*)?total(?:es|s)?|sumas?)(?!\p{L})/iu;

/**
 * Returns whether a cell of a text file has the rest of its line and the beginning of a later one: a quote that opens
 * in one line and closes in another joins two lines, with the amount of the second. A text of several lines has not
 * just as many separators as would complete both lines.
 */
export function holdsLines(
  cell: string,
  place: number,
  { separator, width }: { separator: string; width: number },
): boolean {
  if (width < 3 || !/[\r\n]/.test(cell)) return false;
  const lines = cell.split(/\r\n|\n|\r/);
  const separatorsIn = (line = '') => line.split(separator).length - 1;
  return separatorsIn(lines[0]) === width - 1 - place && separatorsIn(lines.at(-1)) === place;
}
