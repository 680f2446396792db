import type { FastifyReply } from 'fastify';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { clockOf } from '../lib/calendar-day.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { formatMoney, formatPlain } from '../lib/money.ts';
import { writeCsv } from '../lib/tables/write-csv.ts';
import { writeWorkbook } from '../lib/tables/write-workbook.ts';
import { timeCell } from './console-format.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import type { ConsoleVisit } from './console-visit.ts';

/** A column: what it sorts by and exports, and what the screen shows where that is more than the same text. */
export type Column<Row> = {
  /** Its name in the address. */
  name: string;
  text: ConsoleText;
  value: (row: Row) => string | number | null;
  cell?: (row: Row) => Html | string | number;
  /** `number`: set to the right. `time`: UTC milliseconds, shown and exported on the clocks of Chile with their offset. */
  kind?: 'number' | 'time';
  /** Only in exports, where a screen has no room for it. */
  hidden?: true;
};

/** The columns of an amount of money: as one reads it, and in exports a number beside its currency. */
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

/** A filter of the address, as a field of the form above the list. */
export type Filter = {
  name: string;
  text: ConsoleText;
  type: 'date' | 'month' | 'search' | readonly (readonly [value: string, text: string])[];
  /** In the field where the address says nothing. */
  otherwise?: string;
};

export type List<Row> = {
  title: string;
  /** Of the answer; 200 unless said. */
  status?: number;
  /** Below `/console`; also the name of the exported file. */
  path: string;
  columns: readonly Column<Row>[];
  /** The rows that pass the filters. */
  rows: readonly Row[];
  filters?: readonly Filter[];
  /** How many rows were read, where there are more: a file says so at its end, and a page that no other page follows. */
  cut?: number | false;
  /** More than these are on further pages, so they are in the order of time. */
  paged?: boolean;
  /** The text in the box that finds anything. */
  search?: string;
  /** In the place of a table without rows. */
  empty: Html;
  above?: Html | false;
  /** The filters as they were typed, where what is of a person stays out of the address: the form is sent to `/console/find`. */
  typed?: Record<string, string>;
  /** Shown between the filters and the rows, and changed by the filters too. */
  summary?: Html | false;
  below?: Html | false;
};

/** The text fields of an address. */
export function askedOf({ request }: Pick<ConsoleVisit, 'request'>): Record<string, string> {
  const given = Object.entries(request.query as Record<string, unknown>);
  return Object.fromEntries(
    given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.trim()]] : [])),
  );
}

/** Reads the format of the file that an address asks for, instead of a page. */
export function formatOf(visit: Pick<ConsoleVisit, 'request'>): 'csv' | 'xlsx' | null {
  const { format } = askedOf(visit);
  return format === 'csv' || format === 'xlsx' ? format : null;
}

/** Whether one of these texts has what a filter asks for, in either case. */
export function containsText(text: string, texts: readonly (string | null)[]): boolean {
  return texts.join('\n').toLowerCase().includes(text.toLowerCase());
}

/** Answers with a list: a page, or with `format=csv` or `format=xlsx` in its address the same rows as a file. */
export async function sendList<Row>(visit: ConsoleVisit, list: List<Row>): Promise<FastifyReply> {
  const format = formatOf(visit);
  const sorted = { ...list, rows: sortedBy(list, askedOf(visit)['sort'] ?? '') };
  if (format !== null) return sendFile(visit, sorted, format);
  return visit.send(list.status ?? 200, {
    title: list.title,
    main: listPage(visit, sorted),
    search: list.search ?? '',
  });
}

/** A file has more rows than a page, and no more than these. */
export const EXPORTED = 10_000;

/** Reads the first rows of a list that has no other page, and whether there are more: `read` is asked for one more than `most`. */
export async function readFirst<Row>(most: number, read: (limit: number) => Promise<readonly Row[]>) {
  const found = await read(most + 1);
  return { rows: found.slice(0, most), cut: found.length > most && most };
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

async function sendFile<Row>(
  { language, reply }: ConsoleVisit,
  { path, columns, rows, cut = false }: List<Row>,
  format: 'csv' | 'xlsx',
) {
  const head = columns.map(({ text }) => tell(language, text));
  const cells = rows.map((row) => columns.map((column) => exported(column, row)));
  if (cut !== false) cells.push([tell(language, 'list.cut', { n: cut })]);
  const name = path.slice(1).replaceAll('/', '-');
  reply.header('content-disposition', `attachment; filename="${name}.${format}"`);
  if (format === 'xlsx') return reply.header('content-type', XLSX).send(await writeWorkbook(name, [head, ...cells]));
  const texts = cells.map((row) => row.map((cell) => String(cell ?? '')));
  return reply
    .header('content-type', 'text/csv; charset=utf-8')
    .send(`\ufeff${writeCsv([head, ...texts], { separator: ',', lineEnd: '\r\n' })}`);
}

function exported<Row>({ kind, value }: Column<Row>, row: Row): string | number | null {
  const stored = value(row);
  return kind === 'time' && typeof stored === 'number' ? clockOf(stored) : stored;
}

/** `sort` is the name of a column, with `-` before it for the greatest first; any other leaves the order as it is. */
function sortedBy<Row>({ rows, columns, paged }: List<Row>, sort: string): readonly Row[] {
  const column = columns.find(({ name }) => name === sort.replace(/^-/, ''));
  if (column === undefined || paged) return rows;
  const sign = sort.startsWith('-') ? -1 : 1;
  return rows.toSorted((one, other) => sign * compare(column.value(one), column.value(other)));
}

/** Compares two values for sorting; a missing value comes last when the least comes first. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), 'es');
}

function listPage<Row>(visit: ConsoleVisit, list: List<Row>): Html {
  const { title, rows, filters = [], empty, above = false, summary = false, below = false } = list;
  return html`<div class="head"><h1>${title}</h1>${rows.length > 0 && exportLinks(visit, list.path)}</div>
${above}
${filters.length > 0 && filterForm(visit, list, filters)}
${summary}
${typeof list.cut === 'number' && list.paged !== true && html`<p class="notice">${tell(visit.language, 'list.cut', { n: list.cut })}</p>`}
${rows.length === 0 ? empty : listTable(visit, list)}
${below}`;
}

/** Links to the same list as a file: the same address with a format. */
export function exportLinks(visit: ConsoleVisit, path: string): Html {
  const link = (format: string, name: string) =>
    html`<a class="button" download href="${addressOf(visit, path, { format })}">${tell(visit.language, 'list.export', { format: name })}</a>`;
  return html`<p class="exports">${link('csv', 'CSV')} ${link('xlsx', 'Excel')}</p>`;
}

/** The address of the list with other values; an empty one takes its name away. */
function addressOf(visit: ConsoleVisit, path: string, values: Record<string, string>): string {
  const asked = Object.entries({ ...askedOf(visit), ...values }).filter(([, value]) => value !== '');
  return `${publicPath(visit.app)}/console${path}?${String(new URLSearchParams(asked))}`;
}

function filterForm<Row>(visit: ConsoleVisit, { path, typed }: List<Row>, filters: readonly Filter[]): Html {
  const asked = typed ?? askedOf(visit);
  const at = `${publicPath(visit.app)}/console`;
  const { language } = visit;
  const fields = filters.map(({ name, text, type, otherwise = '' }) => {
    const value = asked[name] ?? otherwise;
    const field =
      typeof type === 'string'
        ? html`<input type="${type}" name="${name}" value="${value}">`
        : html`<select name="${name}"><option value="">${tell(language, 'filter.any')}</option>${type.map(
            ([option, shown]) =>
              html`<option value="${option}"${option === value && html` selected`}>${shown}</option>`,
          )}</select>`;
    return html`<label>${tell(language, text)}<br>${field}</label>`;
  });
  const sort = asked['sort'] ?? '';
  return html`<form class="filters"${typed === undefined ? html` action="${at}${path}"` : html` method="post" action="${at}/find"`}>${typed !== undefined && html`<input type="hidden" name="list" value="${path}">`}${fields}${sort !== '' && html`<input type="hidden" name="sort" value="${sort}">`}
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
