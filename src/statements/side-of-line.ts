import { foldText } from '../lib/fold-text.ts';
import { invalidStatement } from './statement.ts';

/**
 * A cell that says whether an amount is a charge or a credit, with its word. `c` may mean either; `unknown`: another
 * word.
 */
export type SideCell = { readonly side: 'charge' | 'credit' | 'c' | 'unknown'; readonly word: string };

/** An amount of a line. `side` null: the sign decides. */
type SidedAmount = { readonly line: number; readonly amount: number; readonly side: SideCell | null };

const CHARGE = /^(d|cargos?|debitos?|debits?)$/;
const CREDIT = /^(a|abonos?|creditos?|credits?)$/;

/** Reads the cell of the side; null if it is empty. */
export function readSide(text: string): SideCell | null {
  const word = foldText(text).replaceAll('.', '').trim();
  if (word === '') return null;
  if (word === 'c') return { side: 'c', word };
  if (CHARGE.test(word)) return { side: 'charge', word };
  if (CREDIT.test(word)) return { side: 'credit', word };
  return { side: 'unknown', word };
}

/**
 * Returns the rows with signed amounts: charges are negative. `heading`: the name of the column of the sides. If words
 * of the column are unknown, such as kinds of transfers, the signs of the amounts decide. Throws `Problem`
 * INVALID_STATEMENT if the signs cannot decide, or if `C` may mean cargo or crédito.
 */
export function signAmounts<Row extends SidedAmount>(rows: readonly Row[], heading: string): Row[] {
  const sided = rows.filter(({ side, amount }) => side !== null && amount !== 0);
  const unknown = sided.find(({ side }) => side?.side === 'unknown');
  if (unknown !== undefined) {
    if (isSigned(sided)) return [...rows];
    throw invalidStatement({
      en: `Line ${unknown.line}: nothing says whether the amount left or came. Write cargo or abono in column “${heading}”.`,
      es: `Línea ${unknown.line}: no se sabe si el monto salió o entró. Escribe cargo o abono en la columna «${heading}».`,
    });
  }
  const first = sided.find(({ side }) => side?.side === 'c');
  const meaning = first === undefined ? null : meaningOfC(sided, heading);
  if (first !== undefined && meaning === null) {
    throw invalidStatement({
      en: `Line ${first.line}: C may mean cargo or crédito in this file. Write cargo or abono in column “${heading}”.`,
      es: `Línea ${first.line}: en este archivo, C puede ser cargo o crédito. Escribe cargo o abono en la columna «${heading}».`,
    });
  }
  return rows.map((row) => {
    if (row.side === null) return row;
    const side = row.side.side === 'c' ? meaning : row.side.side;
    return { ...row, amount: (side === 'charge' ? -1 : 1) * Math.abs(row.amount) };
  });
}

/** Returns whether the signs of the amounts give the sides: some are negative, and no word contradicts them. */
function isSigned(sided: readonly SidedAmount[]): boolean {
  const said = { charge: -1, credit: 1, c: 0, unknown: null };
  const agrees = ({ side, amount }: SidedAmount) =>
    side === null || said[side.side] === null || said[side.side] === Math.sign(amount);
  return sided.every(agrees) && sided.some(({ amount }) => amount < 0);
}

/**
 * Returns the meaning of `C`: cargo if the file also has A (abono) or if all `C` amounts are negative; crédito if it
 * also has D (débito). Otherwise cargo if the heading is Cargo/Abono. Null: neither or both apply.
 */
function meaningOfC(sided: readonly SidedAmount[], heading: string): 'charge' | 'credit' | null {
  const words = new Set(sided.map(({ side }) => side?.word ?? ''));
  const has = (pattern: RegExp) => [...words].some((word) => pattern.test(word));
  const isBelow = sided.every(({ side, amount }) => side?.side !== 'c' || amount < 0);
  const isCharge = has(/^(a|abonos?)$/) || isBelow;
  const isCredit = has(/^(d|debitos?|debits?)$/);
  if (isCharge || isCredit) return isCharge && isCredit ? null : isCharge ? 'charge' : 'credit';
  const name = foldText(heading).replace(/[^a-z]/g, '');
  return /^(cargoabono|abonocargo|ca)$/.test(name) && !has(/^credit/) ? 'charge' : null;
}
