import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { HEADER_WITHIN_ROWS, type Header, type HeaderRule, placeColumns } from './find-header.ts';
import { type Dialect, holdsLines, type Reading, TableError, type TableRow } from './table.ts';
import { textReadings } from './text-readings.ts';

export type Table<Column extends string = never> = {
  readonly dialect: Dialect;
  /** Null if no rule was given, or if no row among the first ones is a header. */
  readonly header: Header<Column> | null;
  /** The rows above the header. Without a header, the first rows, which are also in `rows`. */
  readonly above: readonly TableRow[];
  /** The rows below the header, or all rows. Can be read once. */
  readonly rows: AsyncGenerator<TableRow>;
  /** Reads the same rows again from the first, once `rows` has ended. */
  readonly rowsAgain: () => AsyncGenerator<TableRow>;
  /** The lines of the first hidden ones among `rows` so far. */
  readonly hiddenLines: readonly number[];
  /** The lines of the first ones among `rows` so far that hold whole lines of the file in a cell: see `holdsLines`. */
  readonly joinedLines: readonly number[];
  /** The part of the file that was read, 0 to 1. */
  readonly done: () => number;
  /**
   * The later visible sheets of a workbook, or tables of a page, with such a header and a row below it; without a
   * header, all that have a row. Not read.
   */
  readonly otherTables: () => Promise<Dialect[]>;
};

/** `close`: ends the reading, also if nothing has asked for `rows`. */
type Chosen<Column extends string> = Omit<Table<Column>, 'hiddenLines' | 'joinedLines'> & {
  readonly close: () => Promise<unknown>;
};
type Opened<Column extends string> = Omit<Chosen<Column>, 'otherTables'>;

/**
 * Opens a table while `use` runs. Reads text in UTF-8, UTF-16 or windows-1252, separated by commas, semicolons, tabs or
 * bars; .xlsx and .xls; and the tables of an HTML page. Rows are streamed, so memory does not grow with the length.
 * With a rule, the header row is searched among the first rows, with every separator and in every visible sheet.
 *
 * `source` is a path, or a stream such as standard input. A stream is first stored in an unlinked file. Throws
 * `TableError` for a file that is not a table, also while the rows are read.
 */
export async function withTable<Column extends string, Result>(
  source: string | Readable,
  rule: HeaderRule<Column> | null,
  use: (table: Table<Column>) => Promise<Result>,
): Promise<Result> {
  const file = await openSource(source);
  try {
    const readings = await readingsOf(file);
    const table = await chooseReading(readings, rule);
    const [hiddenLines, joinedLines]: [number[], number[]] = [[], []];
    const isJoined = joinedIn(table);
    try {
      const rows = noteRows(table.rows, [
        [(row) => row.hidden === true, hiddenLines],
        [isJoined, joinedLines],
      ]);
      return await use({ ...table, hiddenLines, joinedLines, rows });
    } finally {
      await table.close();
    }
  } finally {
    await file.close();
  }
}

const MOST_NOTED = 100;

type Noted = readonly [isOne: (row: TableRow) => boolean, lines: number[]];

async function* noteRows(rows: AsyncGenerator<TableRow>, noted: readonly Noted[]): AsyncGenerator<TableRow> {
  for await (const row of rows) {
    for (const [isOne, lines] of noted) if (lines.length < MOST_NOTED && isOne(row)) lines.push(row.line);
    yield row;
  }
}

/** Returns whether a row of text holds further lines of the file in one of its cells. */
function joinedIn({ dialect, header }: Pick<Table, 'dialect' | 'header'>): (row: TableRow) => boolean {
  if (dialect.format !== 'text' || header === null) return () => false;
  const shape = { separator: dialect.separator, width: header.row.cells.length };
  return ({ cells }) => cells.some((cell, place) => holdsLines(cell, place, shape));
}

async function openSource(source: string | Readable): Promise<FileHandle> {
  if (typeof source !== 'string') return keepStream(source);
  const file = await open(source);
  if ((await file.stat()).isFile()) return file;
  // A pipe must be stored first: its first accent may come last, and so does the directory of a workbook.
  return keepStream(file.createReadStream());
}

/** Stores a stream in an unlinked file. Nobody else can open it, and nothing is left of it after the process ends. */
async function keepStream(stream: Readable): Promise<FileHandle> {
  const path = join(tmpdir(), `rubrica-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  try {
    // Uses `writeFile`: on a full disk `write` may write only a part, and the rest would be lost.
    await file.writeFile(stream);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The first bytes of .xlsx (a ZIP file), and of .xls or an .xlsx with a password. */
const ZIP = Buffer.from('PK\x03\x04');
const COMPOUND = Buffer.from('d0cf11e0', 'hex');
/** The beginning of a PDF reads like text. */
const PDF = Buffer.from('%PDF');

async function readingsOf(file: FileHandle): Promise<Reading[]> {
  const start = Buffer.alloc(4);
  await file.read(start, 0, 4, 0);
  // Loads the reader of workbooks or of pages only when it is needed.
  if (start.equals(COMPOUND)) {
    const { oldWorkbookReadings } = await import('./old-workbook-readings.ts');
    return oldWorkbookReadings(file);
  }
  if (start.equals(PDF))
    throw new TableError('PDF_FILE', 'This is a PDF, which has no table. Get the same data as .xlsx or CSV.');
  if (!start.equals(ZIP)) {
    const { beginsAsPage, htmlReadings } = await import('./html-readings.ts');
    return (await beginsAsPage(file)) ? htmlReadings(file) : textReadings(file);
  }
  const { workbookReadings } = await import('./workbook-readings.ts');
  return workbookReadings(file);
}

/**
 * Returns the first reading with a header and a row below it; else the first with a header; else the first with a row.
 */
async function chooseReading<Column extends string>(
  readings: readonly Reading[],
  rule: HeaderRule<Column> | null,
): Promise<Chosen<Column>> {
  const [likeliest] = readings as [Reading];
  if (rule === null) {
    const { dialect, rows: open, done } = likeliest;
    const rows = open();
    const close = () => rows.return(undefined);
    return { dialect, done, header: null, above: [], rows, rowsAgain: open, otherTables: NO_OTHERS, close };
  }
  let headed: Reading | null = null;
  let filled: Reading | null = null;
  for (const [at, reading] of readings.entries()) {
    const table = await lookForHeader(reading, rule).catch(() => null);
    if (table !== null && table.header !== null) {
      const rows = await begin(table.rows);
      if (rows !== null) return { ...table, rows, otherTables: () => othersWith(readings.slice(at + 1), rule) };
      headed ??= reading;
    } else if (table === null || table.above.length > 0) filled ??= reading;
    await table?.close();
  }
  if (headed !== null) return { ...(await lookForHeader(headed, rule)), otherTables: NO_OTHERS };
  const chosen = filled ?? likeliest;
  const later = readings.slice(readings.indexOf(chosen) + 1);
  return { ...(await lookForHeader(chosen, rule)), otherTables: () => othersWith(later, null) };
}

const NO_OTHERS = async () => [];

/** Returns the same rows from the first, or null without rows: a sheet may have names above an empty table. */
async function begin(rows: AsyncGenerator<TableRow>): Promise<AsyncGenerator<TableRow> | null> {
  const first = await rows.next();
  return first.done === true ? null : again([first.value], rows);
}

async function othersWith<Column extends string>(
  readings: readonly Reading[],
  rule: HeaderRule<Column> | null,
): Promise<Dialect[]> {
  const others: Dialect[] = [];
  for (const reading of readings) {
    // A text file is one table, read with each separator.
    if (reading.dialect.format === 'text') continue;
    const rows = rule === null ? reading.rows() : await rowsBelowHeader(reading, rule);
    if (rows !== null && (await rows.next()).done !== true) others.push(reading.dialect);
    await rows?.return(undefined);
  }
  return others;
}

async function rowsBelowHeader<Column extends string>(
  reading: Reading,
  rule: HeaderRule<Column>,
): Promise<AsyncGenerator<TableRow> | null> {
  const table = await lookForHeader(reading, rule).catch(() => null);
  if (table === null || table.header !== null) return table?.rows ?? null;
  await table.close();
  return null;
}

async function lookForHeader<Column extends string>(
  { dialect, rows: open, done }: Reading,
  { names, isHeader }: HeaderRule<Column>,
): Promise<Opened<Column>> {
  const rows = open();
  const close = () => rows.return(undefined);
  const above: TableRow[] = [];
  while (above.length < HEADER_WITHIN_ROWS) {
    const { value: row } = (await rows.next()) as { value: TableRow | undefined };
    if (row === undefined) break;
    // A row with a thousand names takes milliseconds, and a page has many tables to search.
    await setImmediate();
    const places = placeColumns(row.cells, names);
    if (isHeader(places)) {
      return { dialect, header: { row, places }, above, rows, rowsAgain: () => below(row.line, open()), done, close };
    }
    above.push(row);
  }
  return { dialect, header: null, above, rows: again(above, rows), rowsAgain: open, done, close };
}

async function* below(line: number, rows: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  for await (const row of rows) if (row.line > line) yield row;
}

async function* again(first: readonly TableRow[], rest: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  yield* first;
  yield* rest;
}
