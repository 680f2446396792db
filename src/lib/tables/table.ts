/** A row that holds something. Blank rows are skipped, and every cell is text as the file has it. */
export type TableRow = {
  /** The line of a text file on which the row begins, or the number that a spreadsheet shows beside it; from 1. */
  readonly line: number;
  readonly cells: readonly string[];
};

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** How a text file is written. windows-1252 is what spreadsheets call ANSI, and holds all of Latin-1 that anybody types. */
export type TextDialect = {
  readonly format: 'text';
  readonly encoding: TextEncoding;
  readonly byteOrderMark: boolean;
  readonly separator: string;
  readonly lineEnd: '\n' | '\r\n' | '\r';
};

/** How the rows are written: as text with separators, as a sheet of a workbook (.xlsx, .xls), or as a table of a page, from 1. */
export type Dialect =
  | TextDialect
  | { readonly format: 'xlsx' | 'xls'; readonly sheet: string }
  | { readonly format: 'html'; readonly table: number };

/** One way to read the file from its beginning. A text file has one for each separator, a workbook one for each sheet, a page one for each table. */
export type Reading = {
  readonly dialect: Dialect;
  readonly rows: () => AsyncGenerator<TableRow>;
  /** How much of the file was read, 0 to 1. */
  readonly done: () => number;
};

export type TableErrorCode =
  | 'EMPTY'
  | 'NOT_TEXT'
  | 'NOT_CSV'
  | 'ROW_TOO_LONG'
  | 'LOCKED_WORKBOOK'
  | 'BROKEN_WORKBOOK'
  | 'WORKBOOK_TOO_LARGE';

/** A file that is not a table. `message` says what was found and what to do, and repeats nothing that the file holds. */
export class TableError extends Error {
  readonly code: TableErrorCode;
  /** Where, if that is known. */
  readonly line: number | null;

  constructor(code: TableErrorCode, message: string, line: number | null = null) {
    super(message);
    this.code = code;
    this.line = line;
  }
}

/** Characters of a row at most, so that a file without ends of lines takes no memory. */
export const LONGEST_ROW = 65_536;

/** A row that nobody filled in, though a spreadsheet may have left separators in it. */
export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/**
 * Makes the cells of a row that every store keeps: PostgreSQL takes no NUL, which programs leave in texts and a page writes as `&#0;`.
 * U+FFFD stands in its place, as in a browser.
 */
export function withoutNuls(cells: readonly string[]): readonly string[] {
  return cells.some((cell) => cell.includes('\0')) ? cells.map((cell) => cell.replaceAll('\0', '\ufffd')) : cells;
}

/** A line of sums, as people leave it under a table: one of its cells begins with "total" or "suma". */
export function isTotal(cells: readonly string[]): boolean {
  return cells.some((cell) => /^\s*((sub|gran|grand|suma|monto)[\s-]*)?total|^\s*sumas?\b/i.test(cell));
}
