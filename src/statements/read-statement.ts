import type { Readable } from 'node:stream';
import { readSettled } from '../books/settlement-amount.ts';
import type { InBoth } from '../error-catalogue.ts';
import { formatMoney } from '../lib/money.ts';
import { readDay } from '../lib/read-day.ts';
import { namesForPerson, type Places, placeColumns, repeatedColumn } from '../lib/tables/find-header.ts';
import { type Table, withTable } from '../lib/tables/open-table.ts';
import { refuseLonger, refuseTable, refuseUnseen } from '../lib/tables/say-table-error.ts';
import { isTotal, type TableRow } from '../lib/tables/table.ts';
import { readSide, type SideCell, signAmounts } from './side-of-line.ts';
import { invalidStatement, type ReadStatement, type StatementLine, type StatementProof } from './statement.ts';
import { STATEMENT_TABLE, type StatementColumn } from './statement-columns.ts';

const CURRENCY = 'CLP';
/** Larger statements must be split into several files. */
const MOST_LINES = 50_000;

/** A row of the file. `balance` null: the cell is empty. */
type Row = StatementLine & {
  readonly balance: number | null;
  readonly side: SideCell | null;
  /** The amounts of the two columns as written, with their signs; null: the file has one column. */
  readonly apart: Readonly<Record<'charge' | 'credit', number>> | null;
};

/**
 * Reads a statement of a bank in Chile (cartola): CSV in any usual encoding, .xlsx, .xls, or an HTML page; newest or
 * oldest line first. If the file has balances or totals, checks them to prove that no line is missing.
 *
 * Throws `Problem` INVALID_STATEMENT with the wrong line, and accepts no line of the file.
 */
export function readStatement(source: string | Readable): Promise<ReadStatement> {
  return withTable(source, STATEMENT_TABLE, readTable).catch(refuseTable(invalidStatement));
}

async function readTable(table: Table<StatementColumn>): Promise<ReadStatement> {
  const { header, above, rows } = table;
  if (header === null) throw invalidStatement(whyNoHeader(above));
  const columns = { places: header.places, names: header.row.cells };
  const written: Row[] = [];
  const totals: Totals[] = [];
  for await (const row of rows) {
    if (isLineOf(row, columns)) {
      refuseLonger(table, row, invalidStatement);
      written.push(rowOf(row, columns));
    } else totals.push(...totalsOf(row, columns));
    if (written.length > MOST_LINES) {
      throw invalidStatement({
        en: `A statement has at most ${MOST_LINES} lines: export shorter spans.`,
        es: `Una cartola lleva como máximo ${MOST_LINES} líneas: exporta períodos más cortos.`,
      });
    }
  }
  await refuseUnseen(table, invalidStatement);
  const read = signAmounts(written, header.row.cells[header.places.side ?? -1] ?? '');
  const lines = read.filter(({ amount }) => amount !== 0);
  if (lines.length === 0) {
    throw invalidStatement({
      en: `There is no line with an amount below line ${header.row.line}. Export days with movements.`,
      es: `No hay ninguna línea con un monto bajo la línea ${header.row.line}. Exporta días con movimientos.`,
    });
  }
  checkTotals(lines, totals);
  const balances = checkBalances(read, columns);
  const proof: StatementProof = balances.prove ? 'balance' : totals.length > 0 ? 'totals' : 'nothing';
  if (proof === 'nothing') checkSigns(read, lines, columns);
  checkBoth(balances.open, columns);
  checkReversals(balances.open, read, columns);
  return { lines: lines.map(balances.ofDays ? withoutBalance : withoutSide), proof };
}

/** Says what the row lacks that names the most columns, of the first rows of a file without a header. */
function whyNoHeader(rows: readonly TableRow[]): InBoth {
  const read = rows.map((row) => ({ ...row, places: placeColumns(row.cells, STATEMENT_TABLE.names) }));
  const count = ({ places }: { places: object }) => Object.values(places).filter((place) => place !== null).length;
  const [best] = read.toSorted((one, other) => count(other) - count(one));
  if (best === undefined || count(best) < 2) {
    return {
      en: 'No row names the columns. Write fecha, descripción, and cargos and abonos (or monto), above the first line.',
      es: 'Ninguna fila nombra las columnas. Escribe fecha, descripción, y cargos y abonos (o monto), sobre la primera línea.',
    };
  }
  const { line, cells, places } = best;
  const repeated = repeatedColumn(cells, STATEMENT_TABLE.names)?.names.join('», «');
  const lacks = [
    ...(places.day === null ? [{ en: 'fecha', es: 'fecha' }] : []),
    ...(places.text === null ? [{ en: 'descripción', es: 'descripción' }] : []),
    ...(places.amount === null && places.charge === null && places.credit === null
      ? [{ en: 'cargos and abonos (or monto)', es: 'cargos y abonos (o monto)' }]
      : []),
    ...(places.charge === null && places.credit !== null ? [{ en: 'cargos', es: 'cargos' }] : []),
    ...(places.credit === null && places.charge !== null ? [{ en: 'abonos', es: 'abonos' }] : []),
  ];
  const [en, es] = [lacks.map((one) => one.en).join(', '), lacks.map((one) => one.es).join(', ')];
  return repeated === undefined
    ? {
        en: `Line ${line} names the columns ${namesForPerson(cells)}: it lacks ${en}. Write each name over its column.`,
        es: `La línea ${line} nombra las columnas ${namesForPerson(cells)}: falta ${es}. Escribe cada nombre sobre su columna.`,
      }
    : {
        en: `Line ${line} names a column twice: «${repeated}». Leave one of them.`,
        es: `La línea ${line} nombra dos veces una columna: «${repeated}». Deja una sola.`,
      };
}

function withoutBalance(row: Row): StatementLine {
  return { ...withoutSide(row), balance: null };
}

function withoutSide({ line, day, amount, text, document = '', balance }: Row): StatementLine {
  return { line, day, amount, text, document, balance };
}

/** The columns of the file, and their names as written there. */
type Columns = { readonly places: Places<StatementColumn>; readonly names: readonly string[] };

function cellIn({ cells }: TableRow, { places }: Columns): (column: StatementColumn) => string {
  return (column) => cells[places[column] ?? -1]?.trim() ?? '';
}

/**
 * Returns false for totals, remarks, and names of columns that a statement repeats on each page. A row of a payee named
 * Totalpack is not a total.
 */
function isLineOf(row: TableRow, columns: Columns): boolean {
  const cell = cellIn(row, columns);
  if (readDay(cell('day')) !== null) return true;
  const amounts = [cell('charge'), cell('credit'), cell('amount')].filter((text) => text !== '');
  const hasDigits = /\d/.test(cell('day'));
  // A formula without its result is #N/A.
  if (amounts.length === 0 || !(hasDigits || amounts.some((text) => /[\d#]/.test(text)))) return false;
  return !isTotal(row.cells) || (hasDigits && !isTotal([cell('day')]));
}

function rowOf(row: TableRow, columns: Columns): Row {
  const { line } = row;
  const cell = cellIn(row, columns);
  const money = (column: StatementColumn) => moneyOf(cell(column), line, nameOf(column, columns));
  const day = readDay(cell('day'));
  if (day === null) {
    const name = nameOf('day', columns);
    throw invalidStatement({
      en: `Line ${line}: the day in ${name.en} cannot be read. Write it as 15/01/2026 or 2026-01-15.`,
      es: `Línea ${line}: no se puede leer la fecha en ${name.es}. Escríbela como 15/01/2026 o 2026-01-15.`,
    });
  }
  const balance = cell('balance') === '' ? null : money('balance');
  const text = { text: cell('text'), document: cell('document') };
  if (cell('amount') !== '')
    return { line, day, amount: money('amount'), side: readSide(cell('side')), apart: null, ...text, balance };
  const apart = { charge: money('charge'), credit: money('credit') };
  return { line, day, amount: Math.abs(apart.credit) - Math.abs(apart.charge), side: null, apart, ...text, balance };
}

/** Names a column for a person, as the file does. */
function nameOf(column: StatementColumn, { places, names }: Columns): InBoth {
  const name = names[places[column] ?? -1]?.trim() ?? '';
  return { en: `column “${name}”`, es: `la columna «${name}»` };
}

const WRITE_PESOS: InBoth = {
  en: 'Write whole pesos, such as 15000 or 15.000.',
  es: 'Escribe pesos enteros, como 15000 o 15.000.',
};

const COMPUTE: InBoth = {
  en: 'Its formula has no result: open and save the file in a spreadsheet, or write whole pesos.',
  es: 'Su fórmula no tiene resultado: abre y guarda el archivo en una planilla, o escribe pesos enteros.',
};

/** Returns the amount of a cell; an empty cell, a dash and zero are 0. */
function moneyOf(text: string, line: number, name: InBoth): number {
  if (/^[-–—$\s]*(0[0.,]*)?$/.test(text)) return 0;
  const amount = readSettled(text, CURRENCY, null);
  if (typeof amount === 'number') return amount;
  const fix = text.startsWith('#') ? COMPUTE : WRITE_PESOS;
  throw invalidStatement({
    en: `Line ${line}: an amount in ${name.en} cannot be read. ${fix.en}`,
    es: `Línea ${line}: no se puede leer un monto en ${name.es}. ${fix.es}`,
  });
}

/**
 * Throws `Problem` INVALID_STATEMENT if one column has every amount, and no sign, side or balance says whether any
 * left or came: a bank's list of sent transfers would return the payouts that it confirms.
 */
function checkSigns(read: readonly Row[], lines: readonly Row[], { places, names }: Columns): void {
  const isApart = places.amount === null || lines.some(({ amount }) => amount < 0);
  if (isApart || read.some(({ side, balance }) => side !== null || balance !== null)) return;
  const name = nameOf('amount', { places, names });
  throw invalidStatement({
    en: `Nothing says whether the amounts in ${name.en} left or came. Write charges with a minus, or add a column Cargo/Abono with cargo or abono.`,
    es: `No se sabe si los montos en ${name.es} salieron o entraron. Escribe los cargos con un menos, o agrega una columna Cargo/Abono con cargo o abono.`,
  });
}

/** Throws `Problem` INVALID_STATEMENT if a line has both a charge and a credit, which no balance proves. */
function checkBoth(open: readonly Row[], columns: Columns): void {
  const both = open.find(({ apart }) => apart !== null && apart.charge !== 0 && apart.credit !== 0);
  if (both === undefined) return;
  const [charge, credit] = [nameOf('charge', columns), nameOf('credit', columns)];
  throw invalidStatement({
    en: `Line ${both.line} has an amount in ${charge.en} and in ${credit.en}: it is one of them. Write each on its own line.`,
    es: `La línea ${both.line} tiene un monto en ${charge.es} y en ${credit.es}: es uno de los dos. Escribe cada uno en su línea.`,
  });
}

/**
 * Throws `Problem` INVALID_STATEMENT if a column of charges or credits has amounts with and without a minus: one of
 * them went the other way, such as a reversal. Banks also write every charge with a minus. `open`: the lines that no
 * balance proves.
 */
function checkReversals(open: readonly Row[], all: readonly Row[], columns: Columns): void {
  for (const column of ['charge', 'credit'] as const) {
    const amountOf = ({ apart }: Row) => apart?.[column] ?? 0;
    const below = open.find((row) => amountOf(row) < 0);
    if (below === undefined || (column === 'charge' && all.every((row) => amountOf(row) <= 0))) continue;
    const name = nameOf(column, columns);
    throw invalidStatement({
      en: `Line ${below.line}: nothing says whether the amount with a minus in ${name.en} left or came. Write it without the minus in the column where it belongs.`,
      es: `Línea ${below.line}: no se sabe si el monto con menos en ${name.es} salió o entró. Escríbelo sin el menos en la columna que corresponde.`,
    });
  }
}

type Totals = { line: number; charges: number | null; credits: number | null };

function totalsOf(row: TableRow, columns: Columns): Totals[] {
  if (!isTotal(row.cells)) return [];
  const { line } = row;
  const cell = cellIn(row, columns);
  // A sum that was not computed, #N/A, says nothing.
  const read = (column: StatementColumn) =>
    /^(#.*)?$/.test(cell(column)) ? null : Math.abs(moneyOf(cell(column), line, nameOf(column, columns)));
  const [charges, credits] = [read('charge'), read('credit')];
  return charges === null && credits === null ? [] : [{ line, charges, credits }];
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
 * Returns whether each balance follows from the previous one, in either order of the lines, which proves the file. Some
 * banks write the balance at the end of the day on each line of that day (`ofDays`); this proves it too. No proof:
 * fewer than two balances, or such balances of one day only. `open`: the lines whose amounts no balance proves. Throws
 * `Problem` INVALID_STATEMENT if a balance does not follow.
 */
function checkBalances(
  rows: readonly Row[],
  columns: Columns,
): { prove: boolean; ofDays: boolean; open: readonly Row[] } {
  if (rows.filter(hasBalance).length < 2) return { prove: false, ofDays: false, open: rows };
  const orders = [rows, rows.toReversed()];
  const broken = orders.map(firstBreak);
  const following = orders.filter((_, at) => broken[at] === null);
  if (following.length > 0) return { prove: true, ofDays: false, open: following.flatMap(openOf) };
  const days = orders.map(daysOf).find((some) => some !== null);
  if (days !== undefined && days !== null) return { prove: days.length > 1, ofDays: true, open: days[0] ?? [] };
  checkReversals(rows, rows, columns);
  const line = Math.max(...broken.map((row) => row?.line ?? 0));
  throw invalidStatement({
    en: `The balance of line ${line} does not follow from the lines before it: a line is missing or changed.`,
    es: `El saldo de la línea ${line} no sigue de las líneas anteriores: falta una línea o alguien la cambió.`,
  });
}

/** Returns the rows up to the first balance, from which the next one follows, and those after the last. */
function openOf(oldestFirst: readonly Row[]): readonly Row[] {
  const [first, last] = [oldestFirst.findIndex(hasBalance), oldestFirst.findLastIndex(hasBalance)];
  return oldestFirst.filter((_, at) => at <= first || at > last);
}

function hasBalance({ balance }: Row): boolean {
  return balance !== null;
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
