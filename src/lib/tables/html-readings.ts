import type { FileHandle } from 'node:fs/promises';
import { letOthersRun } from '../let-others-run.ts';
import { isBlank, type Reading, TableError, type TableRow, withoutNuls } from './table.ts';
import { decodeFile, findTextEncoding } from './text-encoding.ts';

/** The largest page. A page is held in memory while it is read. */
const LARGEST_PAGE = 16 * 2 ** 20;

/** The most extra places that the cells of a page may span: a few characters can ask for a thousand. */
const MOST_COVERED = 1_000_000;

/** More tables than any page has. Each is searched for a header. */
const MOST_TABLES = 1_000;

/** Returns whether a file begins like an HTML page. Portals also name their pages .xls. */
export async function beginsAsPage(file: FileHandle): Promise<boolean> {
  const start = Buffer.alloc(256);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  return /^(ï»¿)?\s*<(!doctype html|html|head|meta|table)\b/i.test(start.toString('latin1', 0, bytesRead));
}

/** Returns one reading for each table of a page, in order. Throws `TableError` for a page without a table. */
export async function htmlReadings(file: FileHandle): Promise<Reading[]> {
  if ((await file.stat()).size > LARGEST_PAGE) throw tooLarge(`${LARGEST_PAGE / 2 ** 20} MiB`);
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

/**
 * Reads the rows of every table and yields to other work in between. A nested table is a separate table, and its text
 * is not part of the cell.
 */
async function tablesOf(page: string): Promise<TableRow[][]> {
  const turn = letOthersRun();
  const tables: TableRow[][] = [];
  const open: OpenTable[] = [];
  let covered = 0;
  for (const { tag, text, spans, hidden } of partsOf(page)) {
    await turn();
    const table = open.at(-1);
    table?.cell?.push(text);
    if (tag === 'table') {
      if (tables.length + open.length === MOST_TABLES) throw tooLarge(`${MOST_TABLES} tables`);
      open.push({ rows: [], hidden: new Set(), isSectionHidden: false, cell: null, spans, below: [] });
    } else if (tag === '/table') {
      closeCell(open.pop(), tables);
    } else if (table !== undefined) {
      if (/^\/?t(?:[rdh]|head|body|foot)$/.test(tag)) covered += endCell(table);
      if (/^\/?t(?:head|body|foot)$/.test(tag)) {
        // No cell of the head spans into the body.
        table.below = [];
        table.isSectionHidden = hidden;
      }
      if (tag === 'tr') {
        covered += endRow(table);
        if (hidden || table.isSectionHidden) table.hidden.add(table.rows.length);
        table.rows.push([]);
      }
      if (tag === 'td' || tag === 'th') {
        table.cell = [];
        table.spans = spans;
        covered += spans.columns - 1;
      }
      if (covered > MOST_COVERED) throw tooLarge(`${MOST_COVERED} covered places`);
      if (tag === 'br') table.cell?.push(' ');
    }
  }
  while (open.length > 0) closeCell(open.pop(), tables);
  return tables;
}

/** How many columns and rows a cell spans, itself included. */
type Spans = { readonly columns: number; readonly rows: number };

/**
 * `hidden`: the rows that the page does not show, from 0. `isSectionHidden`: it shows no row of the open head, body or
 * foot. `cell`: the text of the open cell so far; it covers `spans`. `below`: for each column, how many further rows a
 * cell above covers.
 */
type OpenTable = {
  rows: string[][];
  hidden: Set<number>;
  isSectionHidden: boolean;
  cell: string[] | null;
  spans: Spans;
  below: number[];
};

/** Closes the open cell. Returns how many places before it are covered by cells above and stay empty. */
function endCell(table: OpenTable): number {
  const { rows, cell, spans, below } = table;
  if (cell === null) return 0;
  const text = plainText(cell.join(''));
  // A cell outside a row starts a row, as in browsers.
  if (rows.length === 0) rows.push([]);
  const row = rows.at(-1) as string[];
  const from = row.length;
  for (let left = below[from] ?? 0; left > 0; left = below[row.length] ?? 0) {
    below[row.length] = left - 1;
    row.push('');
  }
  const at = row.length;
  row.push(text, ...Array.from({ length: spans.columns - 1 }, () => ''));
  if (spans.rows > 1) for (let column = at; column < row.length; column++) below[column] = spans.rows - 1;
  table.cell = null;
  return at - from;
}

/** Ends a row. Columns after its last cell are covered in one row fewer. Returns how many such columns there are. */
function endRow({ rows, below }: OpenTable): number {
  const from = rows.at(-1)?.length ?? 0;
  const behind = Math.max(0, below.length - from);
  for (let column = from; column < below.length; column++) below[column] = Math.max(0, (below[column] ?? 0) - 1);
  while (below.length > 0 && (below.at(-1) ?? 0) === 0) below.pop();
  return behind;
}

function closeCell(table: OpenTable | undefined, tables: TableRow[][]): void {
  if (table === undefined) return;
  endCell(table);
  const rows = table.rows.map((cells, index): TableRow => {
    const row = { line: index + 1, cells: withoutNuls(cells) };
    return table.hidden.has(index) ? { ...row, hidden: true } : row;
  });
  tables.push(rows.filter(({ cells }) => !isBlank(cells)));
}

function tooLarge(what: string): TableError {
  return new TableError('WORKBOOK_TOO_LARGE', `This page has more than ${what}. Save its table as .xlsx or CSV.`);
}

const OWN: Spans = { columns: 1, rows: 1 };

/**
 * Returns whether a tag hides its row or rows. A spreadsheet that saves a page writes hidden and filtered rows like this too.
 */
function hidesRow(tag: string): boolean {
  const isStyled = /display\s*:\s*none|visibility\s*:\s*(hidden|collapse)/i.test(tag);
  return isStyled || /\shidden[\s=>/]/i.test(tag.replace(/"[^"]*"|'[^']*'/g, '""'));
}

/** Returns the spans of a cell, at most as large as in browsers. */
function spansOf(tag: string): Spans {
  const [, columns = '1'] = /\scolspan ?= ?["']?(\d{1,4})/i.exec(tag) ?? [];
  const [, rows = '1'] = /\srowspan ?= ?["']?(\d{1,5})/i.exec(tag) ?? [];
  return { columns: Math.min(1_000, Math.max(1, Number(columns))), rows: Math.min(65_534, Math.max(1, Number(rows))) };
}

const HOLDS_ROWS = /^t(?:r|head|body|foot)$/;

/**
 * Yields the text before each tag, the tag, its spans, and whether it hides rows. Skips comments, scripts and styles.
 * Reads every character once.
 */
function* partsOf(page: string): Generator<{ text: string; tag: string; spans: Spans; hidden: boolean }> {
  let at = 0;
  while (at < page.length) {
    const start = page.indexOf('<', at);
    if (start === -1) break;
    const text = page.slice(at, start);
    const isComment = page.startsWith('<!--', start);
    const [, tag = ''] = isComment ? [] : (/^<(\/?[a-z0-9]+)/i.exec(page.slice(start, start + 16)) ?? []);
    const end = tag === '' ? page.indexOf(isComment ? '-->' : '>', start) : endOfTag(page, start);
    if (end === -1) break;
    const name = tag.toLowerCase();
    const whole = () => page.slice(start, Math.min(end + 1, start + 2_000));
    const spans = name === 'td' || name === 'th' ? spansOf(whole()) : OWN;
    yield { text, tag: name, spans, hidden: HOLDS_ROWS.test(name) && hidesRow(whole()) };
    at = end + (isComment ? 3 : 1);
    if (name !== 'script' && name !== 'style') continue;
    const ending = name === 'script' ? /<\/script/gi : /<\/style/gi;
    ending.lastIndex = at;
    const over = ending.exec(page);
    if (over === null) break;
    at = over.index;
  }
}

/** Returns where a tag ends, or -1. As in browsers, a `>` in a quoted value does not end it. */
function endOfTag(page: string, start: number): number {
  const next = />|=\s*["']/g;
  next.lastIndex = start;
  for (let found = next.exec(page); found !== null; found = next.exec(page)) {
    if (found[0] === '>') return found.index;
    const close = page.indexOf(found[0].slice(-1), next.lastIndex);
    if (close !== -1) next.lastIndex = close + 1;
  }
  return -1;
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

/** Collapses line breaks of the page's source and decodes its character references. */
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
