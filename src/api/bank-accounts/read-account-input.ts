import type { AccountInput } from '../../bank-validation/account-checks.ts';
import type { ErrorItem } from '../../error-catalogue.ts';
import { unknownMember } from '../../http/read-members.ts';
import { AccountRequestSchema } from './validation-schemas.ts';

/** The body of the API, read: what is to be validated, or everything that is wrong with its shape. */
export type AccountInputReading = { input: AccountInput } | { errors: [ErrorItem, ...ErrorItem[]] };

/**
 * Reads `{rut, bankData: {bankSBIFNumber, bankAccount}}`. Only the shape is judged here: every text that is not empty
 * gets a verdict. `pointer` is where the object stands in the body, `others` are names that it may have besides.
 */
export function readAccountInput(body: object, pointer = '', others: readonly string[] = []): AccountInputReading {
  const members = body as Record<string, unknown>;
  const bankData = members['bankData'];
  const bank = isObject(bankData) ? bankData : null;
  const [first, ...more] = [
    ...textErrors(members, 'rut', pointer),
    ...(bank === null ? [shapeError(members, 'bankData', pointer)] : bankErrors(bank, `${pointer}/bankData`)),
    ...unknownErrors(members, [...Object.keys(AccountRequestSchema.properties), ...others], pointer),
  ];
  if (first !== undefined) return { errors: [first, ...more] };
  return { input: { rut: members['rut'], bankCode: bank?.['bankSBIFNumber'], account: bank?.['bankAccount'] } };
}

/** An object as `{}` makes it, no array and no `null`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bankErrors(bank: Record<string, unknown>, pointer: string): ErrorItem[] {
  return [
    ...textErrors(bank, 'bankSBIFNumber', pointer),
    ...textErrors(bank, 'bankAccount', pointer),
    ...unknownErrors(bank, Object.keys(AccountRequestSchema.properties.bankData.properties), pointer),
  ];
}

const TEXT_FIX = {
  rut: 'Send the RUT as a text such as "12345678-5".',
  bankSBIFNumber: 'Send the three digits of the bank as a text with its zeros, such as "012".',
  bankAccount: 'Send the account number as a text, so that its zeros stay.',
};

function textErrors(members: Record<string, unknown>, name: keyof typeof TEXT_FIX, parent: string): ErrorItem[] {
  const value = members[name];
  const fix = TEXT_FIX[name];
  if (typeof value !== 'string') return [{ ...shapeError(members, name, parent), fix }];
  if (value !== '') return [];
  return [{ pointer: `${parent}/${name}`, code: 'EMPTY_FIELD', message: `${name} is empty.`, fix }];
}

function shapeError(members: Record<string, unknown>, name: string, parent: string): ErrorItem {
  const pointer = `${parent}/${name}`;
  const fix = 'Send an object with bankSBIFNumber and bankAccount.';
  if (!Object.hasOwn(members, name)) return { pointer, code: 'MISSING_FIELD', message: `${name} is missing.`, fix };
  return { pointer, code: 'INVALID_TYPE', message: `${name} has the wrong JSON type.`, fix };
}

function unknownErrors(members: Record<string, unknown>, known: readonly string[], parent: string): ErrorItem[] {
  const strangers = Object.keys(members).filter((name) => !known.includes(name));
  return strangers.map((name) => unknownMember(name, known, parent));
}
