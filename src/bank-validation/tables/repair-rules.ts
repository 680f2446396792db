import { checkCharacter } from '../../lib/modulo-eleven.ts';
import { isDestroyedNumber, readAccount } from '../bank-account.ts';
import type { Message } from '../check-messages.ts';
import { type BankDirectory, findBank } from '../directory/bank-directory.ts';
import { codeOfBankName, codeWithZeros } from '../directory/bank-names.ts';
import { type RutFormat, readRut } from '../rut.ts';

export type RepairColumn = 'rut' | 'bank' | 'account';

/** The facts that a rule may use besides its cell. */
export type RepairContext = {
  readonly directory: BankDirectory;
  /** How RUTs of digits alone are written; null: unknown. */
  readonly rutFormat: RutFormat | null;
  /** The canonical RUT of the row; null if it is not readable. */
  readonly rut: string | null;
};

export type RepairRule = {
  readonly id: string;
  readonly columns: readonly RepairColumn[];
  /** Returns the repaired text of the cell; null if the rule does not apply. */
  readonly mend: (text: string, context: RepairContext, column: RepairColumn) => string | null;
  readonly why: Message;
};

const ALL: readonly RepairColumn[] = ['rut', 'bank', 'account'];

/**
 * THE TABLE of repairs, in the order in which they are tried. Each rule reverts what a program or a person did to the
 * text and never guesses: text with two readings is left to a person. A cell is changed only if it is usable
 * afterwards, see repair-account.ts. docs/bank-account-validation.md explains each rule.
 */
export const REPAIR_RULES: readonly RepairRule[] = [
  {
    id: 'FORMULA_TEXT',
    columns: ALL,
    mend: (text) => /^\s*=\s*"([^"]*)"\s*$/.exec(text)?.[1] ?? null,
    why: {
      en: 'It was written as a formula to keep its zeros.',
      es: 'Estaba escrito como fórmula para conservar sus ceros.',
    },
  },
  {
    id: 'SPACES',
    columns: ALL,
    mend: (text) =>
      text
        .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    why: { en: 'Spaces that do not belong were left out.', es: 'Se quitaron espacios que sobraban.' },
  },
  {
    id: 'APOSTROPHE',
    columns: ALL,
    mend: (text) => /^['’‘`´]+([^'’‘`´]+)['’‘`´]*$/.exec(text)?.[1]?.trim() || null,
    why: { en: 'The apostrophe of a spreadsheet was left out.', es: 'Se quitó el apóstrofo de la planilla.' },
  },
  {
    id: 'DASHES',
    columns: ALL,
    mend: (text) => text.replace(/[\u2010-\u2015\u2212\u207b\ufe58\ufe63\uff0d]/g, '-'),
    why: {
      en: 'A sign that looks like a hyphen became a hyphen.',
      es: 'Un signo parecido a un guion pasó a ser un guion.',
    },
  },
  {
    id: 'DECIMAL_ZERO',
    columns: ALL,
    // A spreadsheet keeps fifteen digits, so a longer number has lost its end. It keeps no leading zeros, so 0100.0 is
    // an account with a point. 1000005,0 may be a RUT that ends with -0, and 1100.0 an account that was written 1100-0.
    mend: (text, _context, column) => {
      const [, digits = null] = /^(0|[1-9]\d{0,14})[.,]0{1,2}$/.exec(text) ?? [];
      const isRut = column === 'rut' && digits !== null && digits.length <= 8 && checkCharacter(digits) === '0';
      const isAccount = column === 'account' && digits !== null && digits.length <= 4;
      return isRut || isAccount ? null : digits;
    },
    why: { en: 'The decimals of a program were left out.', es: 'Se quitaron los decimales que agregó un programa.' },
  },
  {
    id: 'RUT_SEPARATORS',
    columns: ['rut'],
    mend: (text, { rutFormat }) => (readRut(text, rutFormat).valid ? null : rutOfPieces(text)),
    why: { en: 'The RUT was written with other separators.', es: 'El RUT estaba escrito con otros separadores.' },
  },
  {
    id: 'RUT_CHECK_CHARACTER',
    columns: ['rut'],
    mend: (text, { rutFormat }) => {
      if (rutFormat !== 'without-dv') return null;
      const reading = readRut(text, rutFormat);
      return reading.valid && reading.warnings.includes('RUT_CHECK_DIGIT_ADDED') ? reading.canonical : null;
    },
    why: {
      en: 'The RUTs of this column have no check character; it was worked out.',
      es: 'Los RUT de esta columna no tienen dígito verificador; se calculó.',
    },
  },
  {
    id: 'RUT_HYPHEN',
    columns: ['rut'],
    mend: (text, { rutFormat }) => (text.includes('-') ? null : readRut(text, rutFormat).canonical),
    why: { en: 'The hyphen of the RUT was put in.', es: 'Se agregó el guion del RUT.' },
  },
  {
    id: 'BANK_ZEROS',
    columns: ['bank'],
    mend: (text, { directory }) => codeWithZeros(directory, text),
    why: { en: 'The code has got its zeros back.', es: 'El código recuperó sus ceros.' },
  },
  {
    id: 'BANK_NAME',
    columns: ['bank'],
    mend: (text, { directory }) => (/^\d*$/.test(text) ? null : codeOfBankName(directory, text)),
    why: { en: 'The name of the bank became its code.', es: 'El nombre del banco pasó a ser su código.' },
  },
  {
    id: 'ACCOUNT_SEPARATORS',
    columns: ['account'],
    mend: (text, { rut }) => {
      const digits = accountOfPieces(text);
      // The digits may be a whole RUT, typed as the account with its check character.
      return digits?.replace(/^0+/, '') === rut?.replace('-', '').replace('K', '0') ? null : digits;
    },
    why: { en: 'Signs between the digits were left out.', es: 'Se quitaron signos entre los dígitos.' },
  },
];

/** Returns whether a cell is usable as it is. */
export function isUsable(column: RepairColumn, text: string, { directory, rutFormat }: RepairContext): boolean {
  if (column === 'rut') {
    const reading = readRut(text, rutFormat);
    return reading.valid && !reading.warnings.includes('RUT_WHITESPACE_TRIMMED');
  }
  return column === 'bank' ? findBank(directory, text).found === 'bank' : readAccount(text).valid;
}

/** Digits in groups, followed by a check character that is separate or unambiguous. */
const RUT_IN_PIECES = /^(\d(?:[\d., ]*\d)?)([-., ]*)([0-9kK])$/;
const FEWEST_DIGITS = 6;

/** Returns the canonical RUT; null unless modulo 11 holds and it is certain which character is the check character. */
function rutOfPieces(text: string): string | null {
  // Such an ending may be decimals.
  if (/[.,]0{1,2}$/.test(text)) return null;
  const [, written = '', apart = '', check = ''] = RUT_IN_PIECES.exec(text.replace(/(?<=\d)-(?=\d{3})/g, '.')) ?? [];
  const body = written.replace(/\D/g, '').replace(/^0+/, '');
  const isSure = /[- ]/.test(apart) || /k/i.test(check) || body.length === 8;
  if (!isSure || body.length < FEWEST_DIGITS || body.length > 8) return null;
  return checkCharacter(body) === check.toUpperCase() ? `${body}-${check.toUpperCase()}` : null;
}

/** Two numbers of this length in one cell may be two accounts. */
const A_NUMBER_OF_ITS_OWN = 6;

/** Returns only the digits; null if the signs may mean decimals, a day or two accounts. */
function accountOfPieces(text: string): string | null {
  if (isDestroyedNumber(text)) return null;
  if (/^\d{1,3}(\.\d{3}){2,}$/.test(text) || /^\d{1,3}(,\d{3}){2,}$/.test(text)) return text.replace(/\D/g, '');
  if (!/^\d+(?:(?: ?- ?| )\d+)+$/.test(text)) return null;
  const groups = text.split(/[- ]+/);
  const long = groups.filter(({ length }) => length >= A_NUMBER_OF_ITS_OWN);
  return long.length > 1 ? null : groups.join('');
}
