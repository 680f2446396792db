import type { FastifyReply } from 'fastify';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { clockOf, isDay } from '../lib/calendar-day.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { letOthersRun } from '../lib/let-others-run.ts';
import { formatMoney, formatPlain } from '../lib/money.ts';
import { writeCsv } from '../lib/tables/write-csv.ts';
import { writeWorkbook } from '../lib/tables/write-workbook.ts';
import { emptyState, timeCell } from './console-format.ts';
import { fileNameOf } from './console-sections.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import type { ConsoleVisit } from './console-visit.ts';
import { formatOf } from './export-in-turn.ts';
import { alertNotice } from './notice.ts';

/** A column: `value` is sorted and exported; `cell` is shown instead, if the screen shows more than that value. */
export type Column<Row> = {
  /** The name of the column in the address. */
  name: string;
  text: ConsoleText;
  value: (row: Row) => string | number | null;
  cell?: (row: Row) => Html | string | number;
  /** `number`: aligned right. `time`: UTC milliseconds, shown and exported as the time in Chile with its offset. */
  kind?: 'number' | 'time';
  /** In exports only, because a screen has no room for it. */
  hidden?: true;
};

/** Returns the columns of an amount: formatted for the screen; in exports a number and its currency. */
export function amountColumns<Row>(moneyOf: (row: Row) => { amount: Sum; currency: string }): Column<Row>[] {
  return [
    {
      name: 'amount',
      text: 'column.amount',
      kind: 'number',
      value: (row) => {
        const { amount, currency } = moneyOf(row);
        return Number(formatPlain(amount, currency));
      },
      cell: (row) => {
        const { amount, currency } = moneyOf(row);
        return formatMoney(amount, currency);
      },
    },
    { name: 'currency', text: 'column.currency', value: (row) => moneyOf(row).currency, hidden: true },
  ];
}

/** A filter in the address, shown as a field of the form above the list. */
export type Filter = {
  name: string;
  text: ConsoleText;
  type: 'date' | 'month' | 'search' | readonly (readonly [value: string, text: string])[];
  /** The default value of the field. */
  otherwise?: string;
  /** The list never has the rows of all choices together. */
  isOne?: true;
};

export type List<Row> = {
  title: string;
  /** The status of the response; 200 by default. */
  status?: number;
  /** The path below `/console`; also the name of the exported file. */
  path: string;
  columns: readonly Column<Row>[];
  /** The rows that pass the filters. */
  rows: readonly Row[];
  filters?: readonly Filter[];
  /** The number of rows read, if there are more. A file says so at its end; so does a page without a next page. */
  cut?: number | false;
  /** True if the list has further pages. It then keeps its order of time and cannot be sorted. */
  paged?: boolean;
  /** The text in the search box of the page. */
  search?: string;
  /** Shown instead of a table without rows, if no filter is set. */
  empty: Html;
  /** Shown instead of a table without rows, if a filter is set; by default a text that fits every list. */
  noneSuch?: Html;
  above?: Html | false;
  /** The typed filters, for a list that keeps personal data out of the address: its form posts to `/console/find`. */
  typed?: Record<string, string>;
  /** Shown between the filters and the rows; follows the filters. */
  summary?: Html | false;
  below?: Html | false;
};

/** Returns the text fields of the query, trimmed. */
export function askedOf({ request }: Pick<ConsoleVisit, 'request'>): Record<string, string> {
  const given = Object.entries(request.query as Record<string, unknown>);
  return Object.fromEntries(
    given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.trim()]] : [])),
  );
}

/** Shows the hidden field of a form in a row, with which the list keeps its filters and its order after the act. */
export function keptList(visit: ConsoleVisit): Html {
  const { done: _done, ...asked } = askedOf(visit);
  return html`<input type="hidden" name="kept" value="${String(new URLSearchParams(asked))}">`;
}

/** Returns the path of the list whose form was posted; `kept`: the field of `keptList`. */
export function pathOfList(path: string, kept = '', more: Record<string, string> = {}): string {
  const query = String(new URLSearchParams([...new URLSearchParams(kept), ...Object.entries(more)]));
  return query === '' ? path : `${path}?${query}`;
}

/** Whether one of the texts contains `text`, ignoring case. */
export function containsText(text: string, texts: readonly (string | null)[]): boolean {
  return texts.join('\n').toLowerCase().includes(text.toLowerCase());
}

/**
 * Sends a list: a page, or the same rows as a file if the address has `format=csv` or `format=xlsx`. A value that a
 * filter does not have, or an order by no column of the list, as in an old or mistyped address, is refused: the list
 * would look filtered, or sorted, by it. A refused request gets the page with the reason, never a file.
 */
export async function sendList<Row>(visit: ConsoleVisit, list: List<Row>): Promise<FastifyReply> {
  const wrong = wrongValue(visit, list);
  if (wrong !== null) return sendWrongValue(visit, list, wrong);
  const format = formatOf(visit);
  const sorted = { ...list, rows: sortedBy(list, askedOf(visit)['sort'] ?? '') };
  const { status = 200 } = list;
  if (format !== null && status === 200) return sendFile(visit, sorted, format);
  return visit.send(status, {
    title: list.title,
    main: listPage(visit, sorted),
    search: list.search ?? '',
  });
}

/**
 * Returns what is wrong with the first filter that has not the asked value, or else with the order; null: nothing. A
 * screen that has refused the request names its own.
 */
function wrongValue<Row>({ language, ...visit }: ConsoleVisit, list: List<Row>): string | null {
  const { filters = [], typed, status = 200 } = list;
  const asked = typed ?? askedOf(visit);
  const sort = askedOf(visit)['sort'] ?? '';
  if (status !== 200) return null;
  const wrong = filters.find((filter) => {
    const value = valueIn(asked, filter);
    if (value === '' || filter.type === 'search' || filter.type === 'month') return false;
    return filter.type === 'date' ? !isDay(value) : !filter.type.some(([option]) => option === value);
  });
  const shown = (value: string) => value.slice(0, 100);
  if (wrong !== undefined)
    return tell(language, 'list.wrong_filter', {
      value: shown(valueIn(asked, wrong)),
      name: tell(language, wrong.text),
    });
  if (sort === '' || columnOf(list, sort) !== undefined) return null;
  return tell(language, 'list.wrong_sort', { value: shown(sort) });
}

function sendWrongValue<Row>(visit: ConsoleVisit, list: List<Row>, said: string): FastifyReply {
  const { app, language } = visit;
  const { title, path, filters = [], search = '' } = list;
  const main = html`<h1>${title}</h1>
${alertNotice(said)}
${filterForm(visit, list, filters)}
<p class="actions"><a class="button" href="${publicPath(app)}/console${path}">${tell(language, 'list.all')}</a></p>`;
  return visit.send(400, { title, main, search });
}

/** The most rows of an exported file. */
export const EXPORTED = 10_000;

/**
 * Reads the first `most` rows of a list that has no next page. `cut` is `most` if there are more rows: it reads one row
 * more to find out.
 */
export async function readFirst<Row>(most: number, read: (limit: number) => Promise<readonly Row[]>) {
  const found = await read(most + 1);
  return { rows: found.slice(0, most), cut: found.length > most && most };
}

/** The newest rows among which a filter that only this process can apply looks. */
const SEARCHED = 5000;

/**
 * Reads the first `most` rows that a filter lets pass, among the newest `SEARCHED`. `cut`: how many were read or found,
 * if there are more. `passes` null: there is no filter.
 */
export async function readMatching<Row>(
  most: number,
  read: (limit: number) => Promise<readonly Row[]>,
  passes: ((row: Row) => boolean) | null,
): Promise<{ rows: Row[]; cut: number | false }> {
  if (passes === null) return readFirst(most, read);
  const found = await readFirst(SEARCHED, read);
  const rows = found.rows.filter(passes);
  return rows.length > most ? { rows: rows.slice(0, most), cut: most } : { rows, cut: found.cut };
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

async function sendFile<Row>(
  { language, reply }: ConsoleVisit,
  { path, columns, rows, cut = false }: List<Row>,
  format: 'csv' | 'xlsx',
) {
  const head = columns.map(({ text }) => tell(language, text));
  const cells: (string | number | null)[][] = [];
  const turn = letOthersRun();
  for (const row of rows) {
    cells.push(columns.map((column) => exported(column, row)));
    await turn();
  }
  if (cut !== false) cells.push([tell(language, 'list.cut', { n: cut })]);
  const name = fileNameOf(language, path);
  reply.header('content-disposition', `attachment; filename="${name}.${format}"`);
  if (format === 'xlsx') return reply.header('content-type', XLSX).send(await writeWorkbook(name, [head, ...cells]));
  return reply.header('content-type', 'text/csv; charset=utf-8').send(`\ufeff${await csvOf([head, ...cells])}`);
}

/** Written together, because each call of the library has a cost of its own; few, so that payments do not wait. */
const ROWS_TOGETHER = 100;

async function csvOf(rows: readonly (readonly (string | number | null)[])[]): Promise<string> {
  const turn = letOthersRun();
  let text = '';
  for (let start = 0; start < rows.length; start += ROWS_TOGETHER) {
    const texts = rows.slice(start, start + ROWS_TOGETHER).map((row) => row.map((cell) => String(cell ?? '')));
    text += writeCsv(texts, { separator: ',', lineEnd: '\r\n' });
    await turn();
  }
  return text;
}

function exported<Row>({ kind, value }: Column<Row>, row: Row): string | number | null {
  const stored = value(row);
  return kind === 'time' && typeof stored === 'number' ? clockOf(stored) : stored;
}

/** Sorts by the column named `sort`; a leading `-` sorts in descending order. A list with pages keeps its order. */
function sortedBy<Row>({ rows, paged, ...list }: List<Row>, sort: string): readonly Row[] {
  const column = columnOf(list, sort);
  if (column === undefined || paged) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(column.value(one), column.value(other)));
}

function columnOf<Row>({ columns }: Pick<List<Row>, 'columns'>, sort: string): Column<Row> | undefined {
  return columns.find(({ name }) => name === sort.replace(/^-/, ''));
}

/** Compares two values for sorting; missing values come last in ascending order. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), 'es');
}

function listPage<Row>(visit: ConsoleVisit, list: List<Row>): Html {
  const { title, rows, status = 200, filters = [], above = false, summary = false, below = false } = list;
  const exports = rows.length > 0 && status === 200 && exportLinks(visit, list.path);
  return html`<div class="head"><h1>${title}</h1>${exports}</div>
${above}
${filters.length > 0 && filterForm(visit, list, filters)}
${summary}
${typeof list.cut === 'number' && list.paged !== true && html`<p class="notice">${tell(visit.language, 'list.cut', { n: list.cut })}</p>`}
${rows.length === 0 ? nothingListed(visit, list) : listTable(visit, list)}
${below}`;
}

/** Under a filter the list says only that nothing passes it: other rows may exist. */
function nothingListed<Row>(visit: ConsoleVisit, list: List<Row>): Html {
  if (!isFiltered(visit, list)) return list.empty;
  const { noneSuch = emptyState(visit, tell(visit.language, 'list.none_such'), '') } = list;
  return html`${noneSuch}<p class="actions"><a class="button" href="${publicPath(visit.app)}/console${list.path}">${tell(visit.language, 'list.all')}</a></p>`;
}

/** Whether a filter of the list has another value than it has by itself. */
function isFiltered<Row>(visit: ConsoleVisit, { filters = [], typed }: List<Row>): boolean {
  const asked = typed ?? askedOf(visit);
  return filters.some((filter) => valueIn(asked, filter) !== (filter.otherwise ?? ''));
}

/** Returns the value of a filter; an empty one stands for all choices, unless the list is of one. */
function valueIn(asked: Record<string, string>, { name, otherwise = '', isOne }: Filter): string {
  return (isOne ? asked[name] || otherwise : asked[name]) ?? otherwise;
}

/** Returns the links that export the same list as a file: the whole list, from whichever of its pages. */
export function exportLinks(visit: ConsoleVisit, path: string): Html {
  const link = (format: string, name: string) =>
    html`<a class="button" download href="${addressOf(visit, path, { format, after: '', before: '' })}">${tell(visit.language, 'list.export', { format: name })}</a>`;
  return html`<p class="exports">${link('csv', 'CSV')} ${link('xlsx', 'Excel')}</p>`;
}

/** Returns the address of the list with changed values; an empty value removes its name. */
function addressOf(visit: ConsoleVisit, path: string, values: Record<string, string>): string {
  const asked = Object.entries({ ...askedOf(visit), ...values }).filter(([, value]) => value !== '');
  return `${publicPath(visit.app)}/console${path}?${String(new URLSearchParams(asked))}`;
}

function filterForm<Row>(visit: ConsoleVisit, list: List<Row>, filters: readonly Filter[]): Html {
  const { path, typed } = list;
  const asked = typed ?? askedOf(visit);
  const at = `${publicPath(visit.app)}/console`;
  const { language } = visit;
  const fields = filters.map((filter) => {
    const { name, text, type, isOne = false } = filter;
    const value = valueIn(asked, filter);
    const field =
      typeof type === 'string'
        ? html`<input type="${type}" name="${name}" value="${value}">`
        : html`<select name="${name}">${!isOne && html`<option value="">${tell(language, 'filter.any')}</option>`}${type.map(
            ([option, shown]) =>
              html`<option value="${option}"${option === value && html` selected`}>${shown}</option>`,
          )}</select>`;
    return html`<label>${tell(language, text)}<br>${field}</label>`;
  });
  const { sort = '' } = asked;
  const isSorted = columnOf(list, sort) !== undefined;
  return html`<form class="filters"${typed === undefined ? html` action="${at}${path}"` : html` method="post" action="${at}/find"`}>${typed !== undefined && html`<input type="hidden" name="list" value="${path}">`}${fields}${isSorted && html`<input type="hidden" name="sort" value="${sort}">`}
<button>${tell(language, 'payments.filter')}</button></form>`;
}

function listTable<Row>(visit: ConsoleVisit, list: List<Row>): Html {
  const { language } = visit;
  const columns = list.columns.filter(({ hidden }) => hidden !== true);
  const body = list.rows.map(
    (row) =>
      html`<tr>${columns.map((column) => html`<td data-label="${tell(language, column.text)}"${classOf(column)}>${shown(column, row)}</td>`)}</tr>`,
  );
  return html`<div class="card scroll"><table data-live>
<thead><tr>${columns.map((column) => headCell(visit, list, column))}</tr></thead>
<tbody>${body}</tbody>
</table></div>`;
}

function shown<Row>({ kind, value, cell }: Column<Row>, row: Row): Html | string | number {
  if (cell !== undefined) return cell(row);
  const stored = value(row);
  if (kind === 'time') return timeCell(typeof stored === 'number' ? stored : null);
  return stored ?? '—';
}

function headCell<Row>(visit: ConsoleVisit, { path, paged }: List<Row>, column: Column<Row>): Html {
  const text = tell(visit.language, column.text);
  if (paged) return html`<th scope="col"${classOf(column)}>${text}</th>`;
  const sort = askedOf(visit)['sort'] ?? '';
  const isUp = sort === column.name;
  const order = isUp ? 'ascending' : sort === `-${column.name}` ? 'descending' : null;
  const link = addressOf(visit, path, { sort: isUp ? `-${column.name}` : column.name });
  return html`<th scope="col"${classOf(column)}${order !== null && html` aria-sort="${order}"`}><a href="${link}">${text}</a></th>`;
}

function classOf<Row>({ kind }: Column<Row>): Html | false {
  return kind === 'number' && html` class="number"`;
}
