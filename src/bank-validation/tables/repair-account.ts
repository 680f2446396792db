import type { Message } from '../check-messages.ts';
import type { BankDirectory } from '../directory/bank-directory.ts';
import { readRut } from '../rut.ts';
import { isUsable, REPAIR_RULES, type RepairColumn, type RepairContext } from './repair-rules.ts';

/** The cells of a row of a table of bank accounts, as in the file. */
export type AccountCells = {
  readonly rut: string;
  readonly bank: string;
  readonly account: string;
  /** The cell of a separate column for the check character; null: no such column. */
  readonly checkCharacter: string | null;
  /** The holder's name, if there is a column. It is never repaired. */
  readonly holder?: string;
};

/** A change that one rule made to one cell. */
export type Repair = {
  readonly column: keyof AccountCells;
  readonly rule: string;
  readonly before: string;
  readonly after: string;
  readonly why: Message;
};

/**
 * Repairs the cells of a row by rule. A cell that would still be unusable stays exactly as it was, because half a
 * repair would hide the error. No RUT becomes another: its digits stay, and modulo 11 must hold before any change.
 */
export function repairAccount(
  cells: AccountCells,
  settings: Omit<RepairContext, 'rut'>,
): { cells: AccountCells; repairs: readonly Repair[] } {
  const context: RepairContext = { ...settings, rut: null };
  const rut: Mended = isSplit(cells) ? repairSplitRut(cells, context) : repairCell('rut', cells.rut, context);
  const known = { ...context, rut: readRut(rut.whole, context.rutFormat).canonical };
  const bank = repairCell('bank', cells.bank, known);
  const account = repairCell('account', cells.account, known);
  return {
    cells: {
      ...cells,
      rut: rut.text,
      bank: bank.text,
      account: account.text,
      checkCharacter: rut.check ?? cells.checkCharacter,
    },
    repairs: [...rut.repairs, ...bank.repairs, ...account.repairs],
  };
}

/** Returns whether the RUT is in two cells. A RUT with a hyphen already has its check character. */
export function isSplit({ rut, checkCharacter }: AccountCells): boolean {
  return checkCharacter !== null && checkCharacter.trim() !== '' && !/[-\u2010-\u2015\u2212]/.test(rut);
}

/** Returns a RUT for judging its column: cleaned, but not yet interpreted. */
export function plainRut(text: string, directory: BankDirectory): string {
  return applyRules('rut', 'rut', text, { directory, rutFormat: null, rut: null }, OF_TEXT).text;
}

type Mended = { text: string; check?: string; whole: string; repairs: readonly Repair[] };

function repairCell(column: RepairColumn, original: string, context: RepairContext): Mended {
  const { text, repairs } = applyRules(column, column, original, context);
  if (repairs.length === 0 || !isUsable(column, text, context))
    return { text: original, whole: original.trim(), repairs: [] };
  return { text, whole: text, repairs };
}

/** Repairs a RUT in two cells: cleans each, and changes both only if they match. */
function repairSplitRut(cells: AccountCells, context: RepairContext): Mended {
  const check = cells.checkCharacter ?? '';
  // The number alone is not a RUT, so only rules for any text apply.
  const number = applyRules('rut', 'rut', cells.rut, context, OF_TEXT);
  const character = applyRules('rut', 'checkCharacter', check, context, OF_TEXT);
  const whole = `${number.text}-${character.text}`;
  const repairs = [...number.repairs, ...character.repairs];
  if (repairs.length === 0 || !isUsable('rut', whole, context)) {
    return { text: cells.rut, check, whole: `${cells.rut.trim()}-${check.trim()}`, repairs: [] };
  }
  return { text: number.text, check: character.text, whole, repairs };
}

const OF_TEXT = REPAIR_RULES.filter(({ columns }) => columns.length === 3);

function applyRules(
  column: RepairColumn,
  cell: keyof AccountCells,
  original: string,
  context: RepairContext,
  rules = REPAIR_RULES,
): { text: string; repairs: Repair[] } {
  let text = original;
  const repairs: Repair[] = [];
  for (const { id, columns, mend, why } of rules) {
    if (!columns.includes(column)) continue;
    const mended = mend(text, context, column);
    if (mended === null || mended === text) continue;
    repairs.push({ column: cell, rule: id, before: text, after: mended, why });
    text = mended;
  }
  return { text, repairs };
}
