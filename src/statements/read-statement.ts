import type { Readable } from 'node:stream';
import { readSettled } from '../books/settlement-amount.ts';
import { formatMoney } from '../lib/money.ts';
import { readDay } from '../lib/read-day.ts';
import type { Places } from '../lib/tables/find-header.ts';
import { type Table, withTable } from '../lib/tables/open-table.ts';
import { sayTableError } from '../lib/tables/say-table-error.ts';
import { isTotal, TableError, type TableRow } from '../lib/tables/table.ts';
import { readSide, type SideCell, signAmounts } from './side-of-line.ts';
import { invalidStatement, type ReadStatement, type StatementLine, type StatementProof } from './statement.ts';
import { STATEMENT_TABLE, type StatementColumn } from './statement-columns.ts';

const CURRENCY = 'CLP';
/** Larger statements must be split into several files. */
const MOST_LINES = 50_000;

/** A row of the file. `balance` null: the cell is empty. */
type Row = StatementLine & { readonly balance: number | null; readonly side: SideCell | null };

/**
 * Reads a statement of a bank in Chile (cartola): CSV in any usual encoding, .xlsx, .xls, or an HTML page; newest or
 * oldest line first. If the file has balances or totals, checks them to prove that no line is missing.
 *
 * Throws `Problem` INVALID_STATEMENT with the wrong line, and accepts no line of the file.
 */
export async function readStatement(source: string | Readable): Promise<ReadStatement> {
  try {
    return await withTable(source, STATEMENT_TABLE, readTable);
  } catch (error) {
    throw error instanceof TableError ? invalidStatement(sayTableError(error)) : error;
  }
}

async function readTable({ header, rows }: Table<StatementColumn>): Promise<ReadStatement> {
  if (header === null) {
    throw invalidStatement({
      en: 'No row names the columns: fecha, descripción, and cargos and abonos, or monto.',
      es: 'Ninguna fila nombra las columnas: fecha, descripción, y cargos y abonos, o monto.',
    });
  }
  const written: Row[] = [];
  const totals: Totals[] = [];
  for await (const row of rows) {
    const line = rowOf(row, header.places);
    if (line === null) totals.push(...totalsOf(row, header.places));
    else written.push(line);
    if (written.length > MOST_LINES) {
      throw invalidStatement({
        en: `A statement has at most ${MOST_LINES} lines: export shorter spans.`,
        es: `Una cartola lleva como máximo ${MOST_LINES} líneas: exporta períodos más cortos.`,
      });
    }
  }
  const read = signAmounts(written, header.row.cells[header.places.side ?? -1] ?? '');
  const lines = read.filter(({ amount }) => amount !== 0);
  if (lines.length === 0)
    throw invalidStatement({ en: 'It has no line with an amount.', es: 'No tiene ninguna línea con un monto.' });
  checkTotals(lines, totals);
  const proof: StatementProof = checkBalances(read) ? 'balance' : totals.length > 0 ? 'totals' : 'nothing';
  return { lines: lines.map(withoutBalance), proof };
}

function withoutBalance({ line, day, amount, text, document = '' }: Row): StatementLine {
  return { line, day, amount, text, document };
}

/** Returns null for rows below the table, such as totals and remarks. */
function rowOf({ line, cells }: TableRow, places: Places<StatementColumn>): Row | null {
  const cell = (column: StatementColumn) => cells[places[column] ?? -1]?.trim() ?? '';
  const day = readDay(cell('day'));
  if (day === null) {
    const written = [cell('charge'), cell('credit'), cell('amount')].some((text) => text !== '');
    if (!written || isTotal(cells)) return null;
    throw invalidStatement({
      en: `Line ${line}: the day cannot be read. Write it as 15/01/2026 or 2026-01-15.`,
      es: `Línea ${line}: no se puede leer la fecha. Escríbela como 15/01/2026 o 2026-01-15.`,
    });
  }
  const balance = cell('balance') === '' ? null : moneyOf(cell('balance'), line);
  return { line, day, ...amountOf(cell, line), text: cell('text'), document: cell('document'), balance };
}

/** Returns the amount of a row. If the row has a side, the sign is known only after the last row. */
function amountOf(cell: (column: StatementColumn) => string, line: number): Pick<Row, 'amount' | 'side'> {
  const written = cell('amount');
  if (written !== '') return { amount: moneyOf(written, line), side: readSide(cell('side')) };
  const amount = Math.abs(moneyOf(cell('credit'), line)) - Math.abs(moneyOf(cell('charge'), line));
  return { amount, side: null };
}

/** Returns the amount of a cell; an empty cell, a dash and zero are 0. */
function moneyOf(text: string, line: number): number {
  if (/^[-–—$\s]*(0[0.,]*)?$/.test(text)) return 0;
  const amount = readSettled(text, CURRENCY, null);
  if (typeof amount === 'number') return amount;
  throw invalidStatement({
    en: `Line ${line}: an amount cannot be read. Write whole pesos, such as 15000 or 15.000.`,
    es: `Línea ${line}: no se puede leer un monto. Escribe pesos enteros, como 15000 o 15.000.`,
  });
}

type Totals = { line: number; charges: number | null; credits: number | null };

function totalsOf({ line, cells }: TableRow, places: Places<StatementColumn>): Totals[] {
  const cell = (column: StatementColumn) => cells[places[column] ?? -1]?.trim() ?? '';
  const [charge, credit] = [cell('charge'), cell('credit')];
  if (!isTotal(cells) || (charge === '' && credit === '')) return [];
  const read = (text: string) => (text === '' ? null : Math.abs(moneyOf(text, line)));
  return [{ line, charges: read(charge), credits: read(credit) }];
}

function checkTotals(lines: readonly Row[], totals: readonly Totals[]): void {
  const sum = (sign: 1 | -1) =>
    lines.reduce((total, { amount }) => (Math.sign(amount) === sign ? total + Math.abs(amount) : total), 0);
  // Added up once: a file may have as many lines of totals as others.
  const [charged, credited] = [sum(-1), sum(1)];
  for (const { line, charges, credits } of totals) {
    for (const [said, own, name] of [
      [charges, charged, { en: 'charges', es: 'cargos' }],
      [credits, credited, { en: 'credits', es: 'abonos' }],
    ] as const) {
      if (said === null || said === own) continue;
      const [inFile, added] = [formatMoney(said, CURRENCY), formatMoney(own, CURRENCY)];
      throw invalidStatement({
        en: `Line ${line} says that the ${name.en} are ${inFile}, and the lines are ${added}: a line is missing or changed.`,
        es: `La línea ${line} dice que los ${name.es} son ${inFile}, y las líneas suman ${added}: falta una línea o alguien la cambió.`,
      });
    }
  }
}

/**
 * Returns whether each balance follows from the previous one, in either order of the lines. Some banks write the
 * balance at the end of the day on each line of that day; this counts too. False: fewer than two balances, or such
 * balances of one day only. Throws `Problem` INVALID_STATEMENT if a balance does not follow.
 */
function checkBalances(rows: readonly Row[]): boolean {
  if (rows.filter(({ balance }) => balance !== null).length < 2) return false;
  const orders = [rows, rows.toReversed()];
  const broken = orders.map(firstBreak);
  if (broken.includes(null)) return true;
  const days = orders.map(daysOf).find((some) => some !== null);
  if (days !== undefined && days !== null) return days.length > 1;
  const line = Math.max(...broken.map((row) => row?.line ?? 0));
  throw invalidStatement({
    en: `The balance of line ${line} does not follow from the lines before it: a line is missing or changed.`,
    es: `El saldo de la línea ${line} no sigue de las líneas anteriores: falta una línea o alguien la cambió.`,
  });
}

/** Returns the rows by day if each row has the balance at the end of its day and these balances follow; else null. */
function daysOf(oldestFirst: readonly Row[]): readonly Row[][] | null {
  const days = [...Map.groupBy(oldestFirst, ({ day }) => day).values()];
  if (
    days.some(
      ([first, ...others]) =>
        (first?.balance ?? null) === null || others.some(({ balance }) => balance !== first?.balance),
    )
  )
    return null;
  const ends = days.map((day) => ({
    ...(day[0] as Row),
    amount: day.reduce((sum, { amount }) => sum + amount, 0),
  }));
  return firstBreak(ends) === null ? days : null;
}

/**
 * Returns the first row whose balance does not follow; null: all follow. Rows without a balance are allowed: some banks
 * write one a day.
 */
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
