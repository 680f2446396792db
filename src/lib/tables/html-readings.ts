import type { FileHandle } from 'node:fs/promises';
import { letOthersRun } from '../let-others-run.ts';
import { isBlank, type Reading, TableError, type TableRow } from './table.ts';
import { decodeFile, findTextEncoding } from './text-encoding.ts';

/** A page is held in memory while it is read; tables of this size are no longer pages. */
const LARGEST_PAGE = 16 * 2 ** 20;

/** Whether a file begins as a page does. Portals also call their pages .xls. */
export async function beginsAsPage(file: FileHandle): Promise<boolean> {
  const start = Buffer.alloc(256);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  return /^(ï»¿)?\s*<(!doctype html|html|head|meta|table)\b/i.test(start.toString('latin1', 0, bytesRead));
}

/** One reading for each table of a page, in its order. Throws `TableError` for a page without any. */
export async function htmlReadings(file: FileHandle): Promise<Reading[]> {
  if ((await file.stat()).size > LARGEST_PAGE) {
    throw new TableError(
      'WORKBOOK_TOO_LARGE',
      `This page has more than ${LARGEST_PAGE / 2 ** 20} MiB. Save its table as .xlsx or CSV.`,
    );
  }
  const { encoding } = await findTextEncoding(file);
  const chunks: Buffer[] = [];
  for await (const chunk of decodeFile(file, encoding)) chunks.push(Buffer.from(chunk));
  const tables = await tablesOf(Buffer.concat(chunks).toString('utf8'));
  if (tables.length === 0) throw new TableError('EMPTY', 'This is a page without a table. Download the table itself.');
  return tables.map((rows, index) => ({
    dialect: { format: 'html', table: index + 1 },
    done: () => 1,
    rows: () => generate(rows),
  }));
}

async function* generate(rows: readonly TableRow[]): AsyncGenerator<TableRow> {
  const turn = letOthersRun();
  for (const row of rows) {
    await turn();
    yield row;
  }
}

/** The rows of every table, read while others have their turns. A table within a cell is a table of its own, and its text is not of the cell. */
async function tablesOf(page: string): Promise<TableRow[][]> {
  const turn = letOthersRun();
  const tables: TableRow[][] = [];
  const open: OpenTable[] = [];
  for (const { tag, text } of partsOf(page)) {
    await turn();
    const table = open.at(-1);
    table?.cell?.push(text);
    if (tag === 'table') {
      open.push({ rows: [], cell: null });
    } else if (tag === '/table') {
      closeCell(open.pop(), tables);
    } else if (table !== undefined) {
      if (/^\/?t[rdh]$/.test(tag)) endCell(table);
      if (tag === 'tr') table.rows.push([]);
      if (tag === 'td' || tag === 'th') table.cell = [];
      if (tag === 'br') table.cell?.push(' ');
    }
  }
  while (open.length > 0) closeCell(open.pop(), tables);
  return tables;
}

/** `cell`: what was read of the one that is open. */
type OpenTable = { rows: string[][]; cell: string[] | null };

function endCell(table: OpenTable): void {
  if (table.cell === null) return;
  const text = plainText(table.cell.join(''));
  // A cell without its row: browsers make one.
  if (table.rows.length === 0) table.rows.push([]);
  table.rows.at(-1)?.push(text);
  table.cell = null;
}

function closeCell(table: OpenTable | undefined, tables: TableRow[][]): void {
  if (table === undefined) return;
  endCell(table);
  const rows = table.rows.map((cells, index) => ({ line: index + 1, cells }));
  tables.push(rows.filter(({ cells }) => !isBlank(cells)));
}

/** The text before each tag, and the tag. Comments, scripts and styles are neither. Reads every character once. */
function* partsOf(page: string): Generator<{ text: string; tag: string }> {
  let at = 0;
  while (at < page.length) {
    const start = page.indexOf('<', at);
    if (start === -1) break;
    const text = page.slice(at, start);
    const isComment = page.startsWith('<!--', start);
    const end = page.indexOf(isComment ? '-->' : '>', start);
    if (end === -1) break;
    const [, tag = ''] = isComment ? [] : (/^<(\/?[a-z0-9]+)/i.exec(page.slice(start, start + 16)) ?? []);
    const name = tag.toLowerCase();
    yield { text, tag: name };
    at = end + (isComment ? 3 : 1);
    if (name !== 'script' && name !== 'style') continue;
    at = page.indexOf(`</${name}`, at);
    if (at === -1) break;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ordm: 'º',
  deg: '°',
  ndash: '–',
};

const ACCENTS: Readonly<Record<string, string>> = { acute: '\u0301', grave: '\u0300', uml: '\u0308', tilde: '\u0303' };

/** Text without line breaks of the page's source, and with its named and numbered characters. */
function plainText(text: string): string {
  const known = text.replace(/&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (name.startsWith('#')) {
      const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    }
    const [, letter = '', accent = ''] = /^([a-z])(acute|grave|uml|tilde)$/i.exec(name) ?? [];
    const mark = ACCENTS[accent.toLowerCase()];
    return mark === undefined ? (ENTITIES[name.toLowerCase()] ?? whole) : (letter + mark).normalize('NFC');
  });
  return known.replace(/[ \t\r\n]+/g, ' ').trim();
}
