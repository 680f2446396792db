import type { Confidence } from './directory/bank-directory.ts';
import type { RutReading } from './rut.ts';

/** Why a text is not an account number. */
export type AccountReason =
  | 'ACCOUNT_NOT_STRING'
  | 'ACCOUNT_MISSING'
  | 'ACCOUNT_BAD_FORMAT'
  | 'ACCOUNT_TOO_LONG'
  | 'ACCOUNT_ALL_ZEROS';

export type AccountReading =
  | {
      readonly valid: true;
      readonly reason: null;
      readonly digits: string;
      /** The digits without leading zeros, for comparisons: banks pad numbers. */
      readonly significant: string;
    }
  | { readonly valid: false; readonly reason: AccountReason; readonly digits: null; readonly significant: null };

export type CuentaRutOutcome =
  | 'ACCOUNT_EQUALS_RUT'
  | 'ACCOUNT_IS_CUENTARUT_OF_HOLDER'
  | 'CUENTARUT_INCLUDES_CHECK_DIGIT'
  | 'ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT';

/**
 * Published facts about a bank's account numbers. They are hints: the tables contradict each other, so a hint never
 * rejects a number.
 */
export type LengthHint = {
  readonly least: number;
  readonly most: number;
  readonly confidence: Confidence;
  readonly source: string;
};

/** BancoEstado. The number of its CuentaRUT is the holder's RUT without the check character. */
export const CUENTARUT_BANK = '012';

/** The most digits. Worldpay, payroll and transfer files accept 20; only two payment companies accept more (45). */
export const LONGEST_ACCOUNT = 20;

export const LENGTH_HINTS: Readonly<Record<string, LengthHint>> = {
  '001': { least: 1, most: 18, confidence: 'low', source: 'field width of the payroll template v4 of Banco de Chile' },
  '012': { least: 1, most: 17, confidence: 'medium', source: 'field width of the payroll file of BancoEstado' },
  '014': { least: 10, most: 10, confidence: 'low', source: 'Pagsmile payout documentation: branch and account' },
  '016': { least: 8, most: 8, confidence: 'low', source: 'one public sample' },
  '037': { least: 9, most: 10, confidence: 'low', source: 'public samples' },
  '039': { least: 1, most: 20, confidence: 'low', source: 'field width of Itaú Office Link' },
};

/**
 * Reads an account number and rejects only numbers that no Chilean format allows: Chile has neither IBAN nor a national
 * check digit. Rejects a JSON number, because it has lost its leading zeros.
 */
export function readAccount(value: unknown): AccountReading {
  if (value === undefined || value === null || value === '') return refuse('ACCOUNT_MISSING');
  if (typeof value !== 'string') return refuse('ACCOUNT_NOT_STRING');
  if (value.length > LONGEST_ACCOUNT) return refuse('ACCOUNT_TOO_LONG');
  if (!/^[0-9]+$/.test(value)) return refuse('ACCOUNT_BAD_FORMAT');
  const significant = value.replace(/^0+/, '');
  if (significant === '') return refuse('ACCOUNT_ALL_ZEROS');
  return { valid: true, reason: null, digits: value, significant };
}

/**
 * Returns whether a spreadsheet shows a number so, such as 1,23457E+11, whose last digits are lost, or as the day that
 * it took the number for: 5280-02-15, 01-12-2005, 12/31/05.
 */
export function isDestroyedNumber(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > LONGEST_ACCOUNT) return false;
  return /^\d([.,]\d+)?E\+\d+$/i.test(value) || DAYS.some((day) => day.test(value));
}

const DAYS = [
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])( \d\d:\d\d:\d\d)?$/,
  /^(0?[1-9]|[12]\d|3[01])([-/])(0?[1-9]|1[0-2])\2(\d\d|\d{4})$/,
  /^(0?[1-9]|1[0-2])([-/])(0?[1-9]|[12]\d|3[01])\2(\d\d|\d{4})$/,
];

/** Returns whether the number looks like a placeholder, or is longer or shorter than published formats. */
export function isUnusualShape(digits: string, significant: string): boolean {
  if (digits.length >= UNUSUALLY_LONG || significant.length < UNUSUALLY_SHORT) return true;
  return significant === '123456789' || /^(\d)\1+$/.test(significant);
}

/** Returns whether the number has no published length of this bank, with any padding of zeros. */
export function contradictsHint(hint: LengthHint, digits: string, significant: string): boolean {
  return digits.length < hint.least || significant.length > hint.most;
}

/** Returns whether the number is the whole RUT with its check character. For K, people type 0. */
export function equalsWholeRut(rut: RutReading & { valid: true }, significant: string): boolean {
  return significant === rut.canonical.replace('-', '').replace('K', '0');
}

/**
 * Compares an account at BancoEstado with the holder's RUT. The first rule that applies decides; `null`: the number
 * does not have the length of a CuentaRUT.
 */
export function compareWithCuentaRut(rut: RutReading & { valid: true }, significant: string): CuentaRutOutcome | null {
  const body = rut.canonical.slice(0, -2);
  const entity = rut.holderClass === 'legal_entity';
  const shapedLikeCuentaRut = significant.length === 7 || significant.length === 8;
  if (entity && significant === body) return 'ACCOUNT_EQUALS_RUT';
  if (significant === body && shapedLikeCuentaRut) return 'ACCOUNT_IS_CUENTARUT_OF_HOLDER';
  if (!entity && equalsWholeRut(rut, significant)) return 'CUENTARUT_INCLUDES_CHECK_DIGIT';
  if (shapedLikeCuentaRut) return 'ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT';
  return null;
}

/**
 * Masks an account: five bullets and the last four digits. The bullets are always five, so the length stays unknown.
 * Four digits or fewer, or text that is not an account number, give only bullets.
 */
export function maskAccount({ digits }: AccountReading): string {
  return digits === null || digits.length <= 4 ? BULLETS : BULLETS + digits.slice(-4);
}

const BULLETS = '•••••';

const UNUSUALLY_LONG = 18;
const UNUSUALLY_SHORT = 5;

function refuse(reason: AccountReason): AccountReading {
  return { valid: false, reason, digits: null, significant: null };
}
