import type { Readable } from 'node:stream';
import { currencyExponent } from '../../protocol/currency-exponents.ts';
import type { InBoth } from '../error-catalogue.ts';
import { addUp, type Sum } from '../lib/exact-sum.ts';
import { foldText } from '../lib/fold-text.ts';
import { letOthersRun } from '../lib/let-others-run.ts';
import { readDay } from '../lib/read-day.ts';
import { namesForPerson, type Places, repeatedColumn } from '../lib/tables/find-header.ts';
import { type Table, withTable } from '../lib/tables/open-table.ts';
import { refuseLonger, refuseTable, refuseUnseen } from '../lib/tables/say-table-error.ts';
import { isTotal, type TableRow } from '../lib/tables/table.ts';
import { type DecimalMark, findDecimalMark, readSettled } from './settlement-amount.ts';
import {
  SETTLEMENT_NAMES,
  SETTLEMENT_TABLE,
  type Settlement,
  type SettlementColumn,
  SettlementError,
  type SettlementRow,
} from './settlement-row.ts';

/**
 * Reads an acquirer's settlement file as people export it: CSV in any encoding or .xlsx, with titles above the header
 * row and sums below it. `source` is a path or a stream. Throws `SettlementError` for the first line that is invalid or
 * ambiguous, because a comparison must not contain a guess.
 */
export function readSettlement(source: string | Readable): Promise<Settlement> {
  return withTable(source, SETTLEMENT_TABLE, readTable).catch(refuseTable(unreadable));
}

type Reader = { places: Places<SettlementColumn>; names: readonly string[]; mark: DecimalMark | 'conflict' };

const unreadable = (why: SettlementError['said']) => new SettlementError(why);

async function readTable(table: Table<SettlementColumn>): Promise<Settlement> {
  const { header, above, rows } = table;
  if (header === null) throw unknownColumns(above);
  const lines: TableRow[] = [];
  for await (const row of rows) lines.push(row);
  await refuseUnseen(table, unreadable);
  const { places } = header;
  const cells = lines.map(({ cells: all }) => ({
    text: all[places.amount ?? -1] ?? '',
    currency: currencyOf(all[places.currency ?? -1] ?? '') ?? '',
  }));
  const reader = { places, names: header.row.cells, mark: findDecimalMark(cells) };
  const read: SettlementRow[] = [];
  const declined: number[] = [];
  // Kept as a running sum: adding up all sales for each line of a sum takes minutes in a file with many of both.
  let sum: Sum = 0;
  const turn = letOthersRun();
  for (const line of lines) {
    await turn();
    if (isSum(line, reader, sum)) continue;
    refuseLonger(table, line, unreadable);
    if (isDeclined(line, reader)) {
      declined.push(line.line);
      continue;
    }
    const row = readRow(line, reader);
    read.push(row);
    sum = addUp([sum, row.amount]);
  }
  return { rows: read, declined, byAccountingDate: places.date === null };
}

function cellOf({ cells }: TableRow, column: SettlementColumn, { places }: Reader): string {
  const cell = (cells[places[column] ?? -1] ?? '').trim();
  return /^(-|–|—|n\/a)$/i.test(cell) ? '' : cell;
}

/**
 * Returns whether a line below the table is a sum, which names no sale, or a remark without an amount. `sum`: of the
 * sales above it.
 */
function isSum(line: TableRow, reader: Reader, sum: Sum): boolean {
  const keys = [cellOf(line, 'buyOrder', reader), cellOf(line, 'authorizationCode', reader)];
  const [date, text] = [dateCell(line, reader), cellOf(line, 'amount', reader)];
  const isOfAll = () => readSettled(text, currencyOf(cellOf(line, 'currency', reader)) ?? '', reader.mark) === sum;
  // A buy order may be Total2, but has no spaces: "Total: 2 ventas" is a sum.
  if (isTotal([date]) || isTotal(keys.filter((key) => !/\d/.test(key) || /\s/.test(key)))) return true;
  // A sale at a shop named Totalpack is not a sum.
  if (isTotal(line.cells) && !/\d/.test(date) && (isOfAll() || keys.every((key) => key === ''))) return true;
  if (keys.some((key) => key !== '')) return false;
  return text === '' || (date === '' && isOfAll());
}

/**
 * Returns whether the acquirer took no money: some portals export every attempt to pay, with its state. A column named
 * only `Estado` may be about the deposit to the bank, so it decides nothing about a sale with an authorisation code.
 */
function isDeclined(line: TableRow, reader: Reader): boolean {
  const columns = (['state', 'type'] as const).filter((column) =>
    DECLINED.test(foldText(cellOf(line, column, reader))),
  );
  if (columns.length === 0) return false;
  const isOfSale =
    columns.includes('type') || !BARE_STATE.test(foldText(reader.names[reader.places.state ?? -1] ?? ''));
  return isOfSale || /^0*$/.test(cellOf(line, 'authorizationCode', reader));
}

/** Names of a column that may be the state of the sale or of the deposit. */
const BARE_STATE = /^\W*(estado|status|resultado)\W*$/;

const DECLINED =
  /^((la |una )?(transaccion|venta|operacion|pago|compra) )?(rechazad|denegad|declinad|fallid|abortad|abandonad|expirad|iniciad|inicializad|no (autorizad|aprobad)|reject|declined|denied|failed|aborted|expired|initialized|not (authori|approved))/;

/** States of a sale whose money went back. Another line of the file may be the refund, so the sale stays. */
const WENT_BACK = /\b(anulad|reversad|nulificad|devuelt|reembolsad|nullified|reversed|refunded|voided)/;

function dateCell(line: TableRow, reader: Reader): string {
  return cellOf(line, reader.places.date === null ? 'accountingDate' : 'date', reader);
}

function readRow(line: TableRow, reader: Reader): SettlementRow {
  const refuse = (column: SettlementColumn, found: string, fix: InBoth) => refusal(line, column, found, fix, reader);
  const currencyText = cellOf(line, 'currency', reader);
  const currency = currencyOf(currencyText);
  if (currency === null) throw refuse('currency', currencyText, FIXES.currency);
  const date = readDay(dateCell(line, reader));
  if (date === null) {
    const column = reader.places.date === null ? 'accountingDate' : 'date';
    throw refuse(column, dateCell(line, reader), FIXES.date);
  }
  const text = cellOf(line, 'amount', reader);
  const amount = readSettled(text, currency, reader.mark);
  if (amount === 'not' || amount === 'two') throw refuse('amount', text, amountFix(amount, currency));
  const [buyOrder, authorizationCode] = [cellOf(line, 'buyOrder', reader), cellOf(line, 'authorizationCode', reader)];
  if (buyOrder === '' && authorizationCode === '') {
    const column = reader.places.buyOrder === null ? 'authorizationCode' : 'buyOrder';
    throw refuse(column, '', FIXES.sale);
  }
  const type = cellOf(line, 'type', reader);
  const isChargeback = CHARGEBACK.test(type);
  const won = isChargeback && CHARGEBACK_WON.test(type);
  const wentBack = WENT_BACK.test(foldText(cellOf(line, 'state', reader)).replaceAll('_', ' '));
  return {
    fileLine: line.line,
    date,
    buyOrder: buyOrder || null,
    authorizationCode: authorizationCode || null,
    amount: REFUND.test(type) && !won ? -Math.abs(amount) : amount,
    currency,
    instalment: cellOf(line, 'instalment', reader) || null,
    ...(wentBack && { wentBack }),
    ...(won && { won }),
    ...(isChargeback && !won && !CHARGEBACK_ENDED.test(type) && { chargeback: true }),
    ...(REFUND.test(type) && !isChargeback && { refund: true }),
  };
}

/** Types of lines whose money goes back, also if their amount has no minus sign. */
const REFUND = /anulaci|nulificaci|revers|devoluci|reembolso|contracargo|refund|nullif|chargeback/i;

const CHARGEBACK = /contracargo|chargeback/i;

/** `Reversa de contracargo`, where `Reversa por contracargo` takes the money: a person looks. */
const CHARGEBACK_ENDED = /revers|anula/i;

/** `Contracargo ganado`: the acquirer paid the money back. */
const CHARGEBACK_WON = /ganad|represent|repos|won/i;

const FIXES = {
  currency: { en: 'Write an ISO 4217 code, such as CLP.', es: 'Escribe un código ISO 4217, como CLP.' },
  date: {
    en: 'Write the date as 2026-01-15 or 15/01/2026.',
    es: 'Escribe la fecha como 2026-01-15 o 15/01/2026.',
  },
  sale: {
    en: 'Give the line its buy order or its authorisation code, or remove it.',
    es: 'Ponle a la línea su orden de compra o su código de autorización, o quítala.',
  },
} as const satisfies Record<string, InBoth>;

function amountFix(fault: 'not' | 'two', currency: string): InBoth {
  const example = exampleOf(currency);
  if (fault === 'not') {
    return {
      en: `Write an amount of ${currency}, such as ${example}.`,
      es: `Escribe un monto en ${currency}, como ${example}.`,
    };
  }
  return {
    en: `It can be read in two ways. Write amounts of ${currency} with their decimals, such as ${example}.`,
    es: `Se puede leer de dos maneras. Escribe los montos en ${currency} con sus decimales, como ${example}.`,
  };
}

function exampleOf(currency: string): string {
  return currencyExponent(currency) === 0 ? '12990' : '12990.55';
}

/** An empty cell is CLP, because acquirers in Chile leave the currency out. */
function currencyOf(text: string): string | null {
  const name = text.trim().toUpperCase();
  if (name === '' || /^(CLP\$?|\$|PESOS?|PESOS? CHILENOS?)$/.test(name)) return 'CLP';
  if (/^(US\$|USD\$?|D[OÓ]LAR(ES)?)$/.test(name)) return 'USD';
  return currencyExponent(name) === undefined ? null : name;
}

function refusal(
  line: TableRow,
  column: SettlementColumn,
  found: string,
  fix: InBoth,
  reader: Reader,
): SettlementError {
  const place = reader.places[column];
  const name = place === null ? column : (reader.names[place] ?? column).trim();
  const cell = `"${found.slice(0, 40)}"`;
  return new SettlementError({
    en: `Line ${line.line}, column "${name}": found ${found === '' ? 'nothing' : cell}. ${fix.en}`,
    es: `Línea ${line.line}, columna "${name}": dice ${found === '' ? 'nada' : cell}. ${fix.es}`,
  });
}

function unknownColumns(above: readonly TableRow[]): SettlementError {
  const widest = above.reduce<readonly string[]>((most, { cells }) => (cells.length > most.length ? cells : most), []);
  const repeated = repeatedColumn(widest, SETTLEMENT_TABLE.names);
  if (repeated !== null) {
    const [column, names] = [repeated.column, repeated.names.join(' | ')];
    return new SettlementError({
      en: `The header row names the column ${column} twice: ${names}. Rename all but one.`,
      es: `La fila de títulos nombra dos veces la columna ${column}: ${names}. Cambia el nombre de todas menos una.`,
    });
  }
  const read = Object.entries(SETTLEMENT_NAMES).map(([, names]) => `${names[0]} (${names.slice(1).join(', ')})`);
  const [found, known] = [namesForPerson(widest), read.join('; ')];
  return new SettlementError({
    en: `A row must name date, amount, and buy order or authorisation code. Found: ${found}. Names that are read, whatever their accents and capitals: ${known}.`,
    es: `Una fila debe nombrar fecha, monto, y orden de compra o código de autorización. Encontrado: ${found}. Nombres que se leen, con cualquier acento o mayúscula: ${known}.`,
  });
}
