import type { AccountInput } from '../../bank-validation/account-checks.ts';
import { RUT_FORMATS, type RutFormat } from '../../bank-validation/rut.ts';
import type { InBoth } from '../../error-catalogue.ts';
import { type ErrorItem, errorItem } from '../../error-item.ts';
import { unknownMember } from '../../http/read-members.ts';
import { AccountRequestSchema, LONGEST_NAME } from './validation-schemas.ts';

/** The result of reading a request body: the account to validate, or every error of its shape. */
export type AccountInputReading = { input: AccountInput } | { errors: [ErrorItem, ...ErrorItem[]] };

/**
 * Reads `{rut, bankData: {bankSBIFNumber, bankAccount}}`. It checks only the shape: every non-empty text gets a verdict
 * later. `pointer` is the JSON pointer of the object in the body. `others` are further member names that the object may
 * have. `rutFormat` applies to an object without its own `rut_format`.
 */
export function readAccountInput(
  body: object,
  pointer = '',
  others: readonly string[] = [],
  rutFormat: RutFormat | null = null,
): AccountInputReading {
  const members = body as Record<string, unknown>;
  const bankData = members['bankData'];
  const bank = isObject(bankData) ? bankData : null;
  const { rut_format: ownFormat, holderName } = members;
  const [first, ...more] = [
    ...textErrors(members, 'rut', pointer),
    ...(bank === null
      ? [shapeError(members, 'bankData', pointer, OBJECT_FIX)]
      : bankErrors(bank, `${pointer}/bankData`)),
    ...(isRutFormat(ownFormat) ? [] : [rutFormatError(pointer)]),
    ...(isName(holderName) ? [] : [nameError(pointer)]),
    ...unknownErrors(members, [...Object.keys(AccountRequestSchema.properties), ...others], pointer),
  ];
  if (first !== undefined) return { errors: [first, ...more] };
  const account = { bankCode: bank?.['bankSBIFNumber'], account: bank?.['bankAccount'] };
  return {
    input: {
      rut: members['rut'],
      ...account,
      rutFormat: isRutFormat(ownFormat) ? (ownFormat ?? rutFormat) : null,
      ...(typeof holderName === 'string' && { holderName }),
    },
  };
}

function isName(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_NAME);
}

function nameError(parent: string): ErrorItem {
  return errorItem(`${parent}/holderName`, 'INVALID_PARAMETER', [
    'holderName is not a name.',
    `Send a text of 1 to ${LONGEST_NAME} characters, or leave it out.`,
    'holderName no es un nombre.',
    `Envía un texto de 1 a ${LONGEST_NAME} caracteres, o no lo envíes.`,
  ]);
}

/** Returns whether a value is a known `rut_format` (how to read a RUT without a hyphen) or undefined. */
export function isRutFormat(value: unknown): value is RutFormat | undefined {
  return value === undefined || RUT_FORMATS.some((format) => format === value);
}

/** Returns the error for an unknown `rut_format`. */
export function rutFormatError(parent: string): ErrorItem {
  return errorItem(`${parent}/rut_format`, 'INVALID_PARAMETER', [
    'rut_format is another word.',
    `Send ${RUT_FORMATS.join(' or ')}, or leave it out.`,
    'rut_format es otra palabra.',
    `Envía ${RUT_FORMATS.join(' o ')}, o no lo envíes.`,
  ]);
}

/** Returns whether a value is a JSON object: no array and not `null`. */
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
  rut: {
    en: 'Send the RUT as a text such as "12345678-5".',
    es: 'Envía el RUT como texto, por ejemplo "12345678-5".',
  },
  bankSBIFNumber: {
    en: 'Send the three digits of the bank as a text with its zeros, such as "012".',
    es: 'Envía los tres dígitos del banco como texto con sus ceros, por ejemplo "012".',
  },
  bankAccount: {
    en: 'Send the account number as a text, so that its zeros stay.',
    es: 'Envía el número de cuenta como texto, para que no pierda sus ceros.',
  },
} as const satisfies Record<string, InBoth>;

const OBJECT_FIX: InBoth = {
  en: 'Send an object with bankSBIFNumber and bankAccount.',
  es: 'Envía un objeto con bankSBIFNumber y bankAccount.',
};

function textErrors(members: Record<string, unknown>, name: keyof typeof TEXT_FIX, parent: string): ErrorItem[] {
  const value = members[name];
  const fix = TEXT_FIX[name];
  if (typeof value !== 'string') return [shapeError(members, name, parent, fix)];
  if (value !== '') return [];
  return [errorItem(`${parent}/${name}`, 'EMPTY_FIELD', [`${name} is empty.`, fix.en, `${name} está vacío.`, fix.es])];
}

function shapeError(members: Record<string, unknown>, name: string, parent: string, fix: InBoth): ErrorItem {
  const pointer = `${parent}/${name}`;
  return Object.hasOwn(members, name)
    ? errorItem(pointer, 'INVALID_TYPE', [
        `${name} has the wrong JSON type.`,
        fix.en,
        `${name} tiene el tipo JSON equivocado.`,
        fix.es,
      ])
    : errorItem(pointer, 'MISSING_FIELD', [`${name} is missing.`, fix.en, `${name} falta.`, fix.es]);
}

function unknownErrors(members: Record<string, unknown>, known: readonly string[], parent: string): ErrorItem[] {
  const strangers = Object.keys(members).filter((name) => !known.includes(name));
  return strangers.map((name) => unknownMember(name, known, parent));
}
