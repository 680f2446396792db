import { parse } from 'csv-parse/sync';
import { currencyExponent } from '../../protocol/currency-exponents.ts';
import { isDay } from '../lib/calendar-day.ts';
import { parseDecimal } from '../lib/money.ts';

/** A line of what an acquirer says it settles. `amount` is in minor units, below 0 for money that was given back. */
export type SettlementRow = {
  /** The line of the file. */
  fileLine: number;
  /** `2026-01-15` */
  date: string;
  buyOrder: string | null;
  authorizationCode: string | null;
  amount: number;
  currency: string;
};

/** A settlement file that cannot be read, with the line and what is wrong there. */
export class SettlementError extends Error {}

/** The columns by the names that they have in English and in Transbank's files; docs/finance.md lists them. */
const NAMES = {
  date: ['date', 'fecha', 'fecha_venta', 'fecha_transaccion'],
  buyOrder: ['buy_order', 'orden_compra', 'orden_de_compra'],
  authorizationCode: [
    'authorization_code',
    'codigo_autorizacion',
    'codigo_de_autorizacion',
    'codigo_autorizacion_venta',
    'cod_autorizacion',
  ],
  amount: ['amount', 'monto', 'monto_venta', 'monto_transaccion'],
  currency: ['currency', 'moneda'],
} as const satisfies Record<string, readonly string[]>;

/**
 * Reads a settlement file: CSV with a first row of names, separated by commas or semicolons. Throws `SettlementError` for
 * the first line that could be read in two ways: a comparison with a guess in it is none.
 */
export function readSettlement(text: string): SettlementRow[] {
  const [names, ...rows] = readCells(text);
  const columns = findColumns(names?.record ?? []);
  return rows.map(({ record, info }) => readRow(record, columns, info.lines));
}

/** A row with the line on which it ends. */
type Cells = { record: string[]; info: { lines: number } };

function readCells(text: string): Cells[] {
  const [firstLine = ''] = text.split('\n', 1);
  const delimiter = firstLine.split(';').length > firstLine.split(',').length ? ';' : ',';
  try {
    const options = { bom: true, delimiter, trim: true, skip_empty_lines: true, info: true } as const;
    return parse(text, options) as unknown as Cells[];
  } catch (error) {
    throw new SettlementError(`The file is no CSV: ${(error as Error).message}`);
  }
}

type Columns = Record<keyof typeof NAMES, number>;

/** -1 for a column that is not there. */
function findColumns(names: readonly string[]): Columns {
  const plain = names.map(plainName);
  const place = (column: keyof typeof NAMES) =>
    plain.findIndex((name) => NAMES[column].some((one) => plainName(one) === name));
  const columns = {
    date: place('date'),
    buyOrder: place('buyOrder'),
    authorizationCode: place('authorizationCode'),
    amount: place('amount'),
    currency: place('currency'),
  };
  if (columns.date < 0 || columns.amount < 0 || (columns.buyOrder < 0 && columns.authorizationCode < 0)) {
    throw unknownColumns(names);
  }
  return columns;
}

function plainName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

function unknownColumns(names: readonly string[]): SettlementError {
  // A first line with digits is data, and data does not belong on a screen.
  const found = names.slice(0, 40).map((name) => (/\d/.test(name) ? '…' : name.slice(0, 40)));
  const read = Object.values(NAMES).map((those) => `${those[0]} (${those.slice(1).join(', ')})`);
  return new SettlementError(
    `The first line must name date, amount, and buy_order or authorization_code. Found: ${found.join(' | ') || 'nothing'}. Names that are read, whatever their accents and capitals: ${read.join('; ')}.`,
  );
}

function readRow(cells: readonly string[], columns: Columns, fileLine: number): SettlementRow {
  const cell = (column: keyof Columns) => cells[columns[column]] || null;
  const currency = cell('currency') ?? 'CLP';
  const date = readDate(cell('date') ?? '');
  const amount = readAmount(cell('amount') ?? '', currency);
  const [buyOrder, authorizationCode] = [cell('buyOrder'), cell('authorizationCode')];
  if (date === null) throw new SettlementError(`Line ${fileLine}: write the date as 2026-01-15 or 15/01/2026.`);
  if (amount === null) throw new SettlementError(`Line ${fileLine}: the amount is no amount of ${currency}.`);
  if (buyOrder === null && authorizationCode === null) {
    throw new SettlementError(`Line ${fileLine}: neither a buy order nor an authorisation code.`);
  }
  return { fileLine, date, buyOrder, authorizationCode, amount, currency };
}

function readDate(text: string): string | null {
  const [, day, month, year] = /^(\d{2})[/-](\d{2})[/-](\d{4})\b/.exec(text) ?? [];
  const date = year === undefined ? text.slice(0, 10) : `${year}-${month}-${day}`;
  return isDay(date) ? date : null;
}

/** `12990`, `$12.990` (one dot is between thousands where the currency has no decimals), `1.234,50`, `10.55`, `10,55`, `-12990`. */
function readAmount(text: string, currency: string): number | null {
  const [, sign = '', digits = ''] = /^(-?)\s*\$?\s*([\d.,]+)$/.exec(text) ?? [];
  const isGrouped = /^\d{1,3}(\.\d{3})+(,\d+)?$/.test(digits);
  const isFraction = currencyExponent(currency) !== 0 && /^\d{1,3}\.\d{3}$/.test(digits);
  const decimal = isGrouped && !isFraction ? digits.replaceAll('.', '') : digits;
  const amount = parseDecimal(decimal.replace(',', '.'), currency);
  return amount === null || amount === 0 ? null : sign === '-' ? -amount : amount;
}
