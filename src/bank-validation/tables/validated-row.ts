import type { Problem } from '../../error-catalogue.ts';
import { SPANISH_ERRORS } from '../../error-spanish.ts';
import type { Language } from '../../lib/language.ts';
import type { AccountInput } from '../account-checks.ts';
import { isDestroyedNumber, readAccount } from '../bank-account.ts';
import { type Check, decidingCheck, fillIn, isValid } from '../check.ts';
import { type Message, ROW_MESSAGES } from '../check-messages.ts';
import type { BankDirectory } from '../directory/bank-directory.ts';
import { readRut } from '../rut.ts';
import type { BatchResult } from '../validate-batch.ts';
import { isUsable, type RepairColumn } from './repair-rules.ts';

/** The columns that the output adds after the input's. */
export const ADDED_COLUMNS = [
  'verdict',
  'is_valid',
  'codes',
  'message',
  'suggestions',
  'validation_id',
  'rut_read',
  'bank_code',
  'bank_name',
  'account_read',
  'why',
  'proposal',
] as const;

/** Why a row is not valid. `general`: the message for many rows, without a RUT. */
export type Cause = { readonly code: string; readonly message: Message; readonly general: Message };

/** A row of the file with its result. `cut`: it has more cells than there are names. */
export type ValidatedRow = {
  readonly input: AccountInput;
  readonly result: BatchResult;
  readonly cut: boolean;
  /** The whole row as repaired and as its suggestions say: see `wholeRow`. */
  readonly whole: string;
  /** Whether `whole` differs from the row in the output. */
  readonly isProposed: boolean;
};

/** Returns the cells of a row under `ADDED_COLUMNS`. */
export function addedCells(row: ValidatedRow, language: Language): string[] {
  const { input, result, cut, whole, isProposed } = row;
  const cells: Record<(typeof ADDED_COLUMNS)[number], string> = {
    ...told(result, input, cut, language),
    why: causeOf(row)?.message[language] ?? '',
    proposal: isProposed ? whole : '',
  };
  return ADDED_COLUMNS.map((column) => cells[column]);
}

/**
 * Returns why a row is not valid: the first check that fails, else the first that leaves the question open. Null for a
 * valid row.
 */
export function causeOf({ input, result }: ValidatedRow): Cause | null {
  if ('problem' in result) return plainCause(result.problem.code, sayRefusal(result.problem));
  const { verdict, checks, readings } = result.validation;
  if (isValid(verdict)) return null;
  const check = decidingCheck(checks);
  if (check === undefined || check.code === null) return null;
  if (areSwapped(input)) return plainCause('CELLS_SWAPPED', ROW_MESSAGES.CELLS_SWAPPED);
  const own = codeInRow(check, input);
  if (own !== null) return plainCause(own, ROW_MESSAGES[own]);
  if (check.code !== 'RUT_CHECK_DIGIT_MAYBE_MISSING') return plainCause(check.code, check.message);
  const possible = readings.flatMap(({ rut }) => rut ?? []).join(', ');
  return {
    code: check.code,
    message: fillIn(ROW_MESSAGES.RUT_TWO_READINGS, { readings: possible }),
    general: check.message,
  };
}

function sayRefusal({ code, message, extras }: Problem): Message {
  return { en: message, es: extras.detail?.es ?? SPANISH_ERRORS[code].title };
}

function plainCause(code: string, message: Message): Cause {
  return { code, message, general: message };
}

/**
 * Returns text such as `rut=12345678-5 bank=012 account=12345678`. A cell that nobody can use as it is, such as a RUT
 * with a wrong check character, is `?`: a repaired row must not look as if it vouched for that cell.
 */
export function wholeRow({ rut, bankCode, account, rutFormat }: AccountInput, directory: BankDirectory): string {
  const cell = (column: RepairColumn, value: unknown): string => {
    const text = String(value);
    return isUsable(column, text, { directory, rutFormat: rutFormat ?? null, rut: null }) ? text : '?';
  };
  return `rut=${cell('rut', rut)} bank=${cell('bank', bankCode)} account=${cell('account', account)}`;
}

/** Returns the code of a text for files: a person sees the cell, and may write the name of a bank. */
function codeInRow({ code }: Check, { bankCode, account }: AccountInput): keyof typeof ROW_MESSAGES | null {
  if (code === 'ACCOUNT_BAD_FORMAT' && isDestroyedNumber(account)) return 'NUMBER_DESTROYED';
  return code === 'BANK_BAD_FORMAT' && /\p{L}{3}/u.test(String(bankCode)) ? 'BANK_NAME_UNKNOWN' : null;
}

/** Returns whether the RUT is in the cell of the bank, or the bank and the account are in each other's. */
function areSwapped({ bankCode, account }: AccountInput): boolean {
  const [bank, number] = [String(bankCode), String(account)];
  return (bank.includes('-') && readRut(bank).valid) || (/^\d{5,20}$/.test(bank) && /^\d{1,3}$/.test(number));
}

type Told = Record<Exclude<(typeof ADDED_COLUMNS)[number], 'why' | 'proposal'>, string>;

function told(result: BatchResult, input: AccountInput, cut: boolean, language: Language): Told {
  const row = cut ? [{ code: 'ROW_WIDTH', message: ROW_MESSAGES.ROW_WIDTH[language] }] : [];
  const joined = (parts: readonly string[]) => parts.join(' ');
  const account = readAccount(input.account).digits ?? '';
  if ('problem' in result) {
    const all = [...row, { code: result.problem.code, message: sayRefusal(result.problem)[language] }];
    const codes = joined(all.map(({ code }) => code));
    const message = joined(all.map((one) => one.message));
    const nothing = { suggestions: '', validation_id: '', rut_read: '', bank_code: '', bank_name: '' };
    return { verdict: 'undetermined', is_valid: 'false', codes, message, ...nothing, account_read: account };
  }
  const { verdict, checks, suggestions, id, rut, bank } = result.validation;
  const found = checks.filter(({ result: outcome, code }) => code !== null && outcome !== 'not_performed');
  const sentences = found
    .filter(({ result: outcome }) => outcome !== 'pass')
    .map((check) => {
      const own = codeInRow(check, input);
      return (own === null ? check.message : ROW_MESSAGES[own])[language];
    });
  return {
    verdict,
    is_valid: String(isValid(verdict)),
    codes: joined([...row.map(({ code }) => code), ...found.map(({ code }) => code as string)]),
    message: joined([...row.map(({ message }) => message), ...sentences]),
    suggestions: suggestions.map(({ field, value }) => `${field.split('/').at(-1)}=${value}`).join(' '),
    validation_id: id,
    rut_read: rut ?? '',
    bank_code: bank?.code ?? '',
    bank_name: bank?.name ?? '',
    account_read: account,
  };
}
