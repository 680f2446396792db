import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { HEADER_WITHIN_ROWS, type Header, type HeaderRule, placeColumns } from './find-header.ts';
import type { Dialect, Reading, TableRow } from './table.ts';
import { textReadings } from './text-readings.ts';

export type Table<Column extends string = never> = {
  readonly dialect: Dialect;
  /** Null where no rule was given, and where no row of the first ones is a header. */
  readonly header: Header<Column> | null;
  /** The rows above the header; without one the first rows, which `rows` has too. */
  readonly above: readonly TableRow[];
  /** The rows under the header, or all rows. Read once. */
  readonly rows: AsyncGenerator<TableRow>;
  /** The same rows from the first one on, once `rows` has ended. */
  readonly rowsAgain: () => AsyncGenerator<TableRow>;
  /** How much of the file was read, 0 to 1. */
  readonly done: () => number;
};

/**
 * Opens a table for as long as `use` takes: text in UTF-8, UTF-16 or windows-1252, separated by commas, semicolons, tabs or
 * bars, an .xlsx or .xls, or the tables of a page. The rows come as a stream, in the same memory for any length. With a rule the header row is looked for
 * among the first rows, under every separator and in every sheet that people see.
 *
 * `source` is a path, or a stream such as standard input, which is kept in a file without a name while it is read.
 * Throws `TableError` for what is not a table, also while the rows are read.
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
    try {
      return await use(table);
    } finally {
      await table.rows.return(undefined);
    }
  } finally {
    await file.close();
  }
}

async function openSource(source: string | Readable): Promise<FileHandle> {
  if (typeof source !== 'string') return keepStream(source);
  const file = await open(source);
  if ((await file.stat()).isFile()) return file;
  // A pipe: its first accent may come last, and the list of a workbook's parts does.
  return keepStream(file.createReadStream());
}

/** Nobody else can open it, and nothing is left of it, however the process ends. */
async function keepStream(stream: Readable): Promise<FileHandle> {
  const path = join(tmpdir(), `rubrica-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path, { force: true });
  try {
    // Not by `write`, which a full disk lets end after a part: the rest of a large piece would be lost.
    await file.writeFile(stream);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The first bytes of .xlsx (which is a ZIP file), and of .xls and an .xlsx with a password. */
const ZIP = Buffer.from('PK\x03\x04');
const COMPOUND = Buffer.from('d0cf11e0', 'hex');

async function readingsOf(file: FileHandle): Promise<Reading[]> {
  const start = Buffer.alloc(4);
  await file.read(start, 0, 4, 0);
  // The reader of workbooks is loaded for workbooks, and the reader of pages for pages.
  if (start.equals(COMPOUND)) {
    const { oldWorkbookReadings } = await import('./old-workbook-readings.ts');
    return oldWorkbookReadings(file);
  }
  if (!start.equals(ZIP)) {
    const { beginsAsPage, htmlReadings } = await import('./html-readings.ts');
    return (await beginsAsPage(file)) ? htmlReadings(file) : textReadings(file);
  }
  const { workbookReadings } = await import('./workbook-readings.ts');
  return workbookReadings(file);
}

/** The first reading with a header; the likeliest one where none has. */
async function chooseReading<Column extends string>(
  readings: readonly Reading[],
  rule: HeaderRule<Column> | null,
): Promise<Table<Column>> {
  const [likeliest] = readings as [Reading];
  if (rule === null)
    return { ...likeliest, header: null, above: [], rows: likeliest.rows(), rowsAgain: likeliest.rows };
  for (const reading of readings) {
    const table = await lookForHeader(reading, rule).catch(() => null);
    if (table === null) continue;
    if (table.header !== null) return table;
    await table.rows.return(undefined);
  }
  return lookForHeader(likeliest, rule);
}

async function lookForHeader<Column extends string>(
  { dialect, rows: open, done }: Reading,
  { names, isHeader }: HeaderRule<Column>,
): Promise<Table<Column>> {
  const rows = open();
  const above: TableRow[] = [];
  while (above.length < HEADER_WITHIN_ROWS) {
    const { value: row } = (await rows.next()) as { value: TableRow | undefined };
    if (row === undefined) break;
    const places = placeColumns(row.cells, names);
    if (isHeader(places)) {
      return { dialect, header: { row, places }, above, rows, rowsAgain: () => below(row.line, open()), done };
    }
    above.push(row);
  }
  return { dialect, header: null, above, rows: again(above, rows), rowsAgain: open, done };
}

async function* below(line: number, rows: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  for await (const row of rows) if (row.line > line) yield row;
}

async function* again(first: readonly TableRow[], rest: AsyncGenerator<TableRow>): AsyncGenerator<TableRow> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
