import { readSettled } from '../books/settlement-amount.ts';
import { formatMoney } from '../lib/money.ts';
import { readDay } from '../lib/read-day.ts';
import type { Places } from '../lib/tables/find-header.ts';
import { type Table, withTable } from '../lib/tables/open-table.ts';
import { isTotal, TableError, type TableRow } from '../lib/tables/table.ts';
import { type ReadStatement, StatementError, type StatementLine, type StatementProof } from './statement.ts';
import { STATEMENT_TABLE, type StatementColumn } from './statement-columns.ts';

const CURRENCY = 'CLP';
/** Of an account that moves more, several files are made. */
const MOST_LINES = 50_000;

/** A row of the file. `balance` null: none stands there. */
type Row = StatementLine & { readonly balance: number | null };

/**
 * Reads a statement of a bank in Chile (cartola): CSV in any usual encoding, .xlsx, or a page; the newest or the oldest line first. A
 * file with balances or totals proves by them that nothing is missing.
 *
 * Throws `StatementError` with the line that is wrong: nothing of such a file is believed.
 */
export async function readStatement(path: string): Promise<ReadStatement> {
  try {
    return await withTable(path, STATEMENT_TABLE, readTable);
  } catch (error) {
    throw error instanceof TableError ? refusal(error.message) : error;
  }
}

async function readTable({ header, rows }: Table<StatementColumn>): Promise<ReadStatement> {
  if (header === null) {
    throw refusal('No row names the columns: fecha, descripción, and cargos and abonos, or monto.');
  }
  const read: Row[] = [];
  const totals: Totals[] = [];
  for await (const row of rows) {
    const line = rowOf(row, header.places);
    if (line === null) totals.push(...totalsOf(row, header.places));
    else read.push(line);
    if (read.length > MOST_LINES) throw refusal(`A statement has at most ${MOST_LINES} lines: export shorter spans.`);
  }
  const lines = read.filter(({ amount }) => amount !== 0);
  if (lines.length === 0) throw refusal('It has no line with an amount.');
  for (const sums of totals) checkTotals(lines, sums);
  const proof: StatementProof = checkBalances(read) ? 'balance' : totals.length > 0 ? 'totals' : 'nothing';
  return { lines: lines.map(({ line, day, amount, text }) => ({ line, day, amount, text })), proof };
}

/** Null for what stands under a table: sums and remarks. */
function rowOf({ line, cells }: TableRow, places: Places<StatementColumn>): Row | null {
  const cell = (column: StatementColumn) => cells[places[column] ?? -1]?.trim() ?? '';
  const day = readDay(cell('day'));
  if (day === null) {
    const written = [cell('charge'), cell('credit'), cell('amount')].some((text) => text !== '');
    if (!written || isTotal(cells)) return null;
    throw refusal(`Line ${line}: the day cannot be read. Write it as 15/01/2026 or 2026-01-15.`);
  }
  const balance = cell('balance') === '' ? null : moneyOf(cell('balance'), line);
  const text = [cell('text'), cell('document')].filter((one) => one !== '').join(' ');
  return { line, day, amount: amountOf(cell, line), text, balance };
}

function amountOf(cell: (column: StatementColumn) => string, line: number): number {
  const written = cell('amount');
  if (written === '') return Math.abs(moneyOf(cell('credit'), line)) - Math.abs(moneyOf(cell('charge'), line));
  const amount = moneyOf(written, line);
  const side = /^(c|cargo)$/i.test(cell('side')) ? -1 : /^(a|abono)$/i.test(cell('side')) ? 1 : null;
  return side === null ? amount : side * Math.abs(amount);
}

/** Nothing, and zero in any writing, is 0. */
function moneyOf(text: string, line: number): number {
  if (/^[-–—$\s]*(0[0.,]*)?$/.test(text)) return 0;
  const amount = readSettled(text, CURRENCY, null);
  if (typeof amount === 'number') return amount;
  throw refusal(`Line ${line}: an amount cannot be read. Write whole pesos, such as 15000 or 15.000.`);
}

type Totals = { line: number; charges: number | null; credits: number | null };

function totalsOf({ line, cells }: TableRow, places: Places<StatementColumn>): Totals[] {
  const cell = (column: StatementColumn) => cells[places[column] ?? -1]?.trim() ?? '';
  const [charge, credit] = [cell('charge'), cell('credit')];
  if (!isTotal(cells) || (charge === '' && credit === '')) return [];
  const read = (text: string) => (text === '' ? null : Math.abs(moneyOf(text, line)));
  return [{ line, charges: read(charge), credits: read(credit) }];
}

function checkTotals(lines: readonly Row[], { line, charges, credits }: Totals): void {
  const sum = (sign: 1 | -1) =>
    lines.reduce((total, { amount }) => (Math.sign(amount) === sign ? total + Math.abs(amount) : total), 0);
  for (const [said, sign, name] of [
    [charges, -1, 'charges'],
    [credits, 1, 'credits'],
  ] as const) {
    if (said === null || said === sum(sign)) continue;
    const [file, own] = [formatMoney(said, CURRENCY), formatMoney(sum(sign), CURRENCY)];
    throw refusal(
      `Line ${line} says that the ${name} are ${file}, and the lines are ${own}: a line is missing or changed.`,
    );
  }
}

/** Whether every balance follows from the one before, in one of the two orders. False: the file has no balances. */
function checkBalances(rows: readonly Row[]): boolean {
  if (rows.filter(({ balance }) => balance !== null).length < 2) return false;
  const broken = [firstBreak(rows), firstBreak(rows.toReversed())];
  if (broken.includes(null)) return true;
  const line = Math.max(...broken.map((row) => row?.line ?? 0));
  throw refusal(`The balance of line ${line} does not follow from the lines before it: a line is missing or changed.`);
}

/** The first row whose balance does not follow, the oldest first; null: all do. A bank may write one a day. */
function firstBreak(oldestFirst: readonly Row[]): Row | null {
  let expected: number | null = null;
  for (const row of oldestFirst) {
    if (expected !== null) expected += row.amount;
    if (row.balance === null) continue;
    if (expected !== null && expected !== row.balance) return row;
    expected = row.balance;
  }
  return null;
}

function refusal(detail: string): StatementError {
  return new StatementError(detail);
}
