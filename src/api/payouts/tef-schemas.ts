import type { InBoth } from '../../error-catalogue.ts';
import { type ErrorItem, errorItem } from '../../error-item.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody, unknownMember } from '../../http/read-members.ts';
import { PAYOUT_STATES, type PayoutState } from '../../payouts/payout.ts';
import type { PayoutWish } from '../../payouts/payout-wish.ts';
import { isObject } from '../bank-accounts/read-account-input.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';

const text = (description: string) => Type.String({ description });

/**
 * The request body of published clients. The callback address is `callbackUrl` at the root or `url` in `tef`; both must
 * agree.
 */
export const TefRequestSchema = Type.Object(
  {
    tef: Type.Object(
      {
        id: text('Your own id: 1 to 80 letters, digits, points, hyphens, underscores. The same id is the same payout'),
        messageToAddressee: Type.Optional(text('Text for the recipient, up to 200 characters')),
        amount: Type.Union([Type.Integer(), Type.String()], {
          description: 'Whole pesos, as a number or a text of digits',
        }),
        recipientData: Type.Object(
          {
            rut: text('RUT of the holder, with or without points'),
            name: text('Name of the holder, up to 200 characters'),
            email: text('E-mail address of the holder, up to 254 characters'),
          },
          { additionalProperties: false },
        ),
        bankData: Type.Object(
          {
            bankSBIFNumber: text('Code of the bank, three digits'),
            bankAccount: text('Account number as text, with leading zeros'),
          },
          { additionalProperties: false },
        ),
        url: Type.Optional(text('URL to which the final state is posted, up to 1000 characters')),
      },
      { additionalProperties: false },
    ),
    callbackUrl: Type.Optional(text('URL to which the final state is posted, up to 1000 characters')),
  },
  { $id: 'TefRequest', additionalProperties: false },
);

export const TEF_REQUEST_EXAMPLE = {
  tef: {
    id: '6f1d4c0e-2b1a-4a7e-9a37-0d4b8d1f3c55',
    messageToAddressee: 'Pago factura 12',
    amount: 15000,
    recipientData: { rut: '12.531.909-2', name: 'Ana Núñez', email: 'ana@example.cl' },
    bankData: { bankSBIFNumber: '012', bankAccount: '12531909' },
  },
  callbackUrl: 'https://shop.example/tef?token=abc',
};

export const TefResponseSchema = Type.Object(
  {
    status: Type.String({ enum: ['processing', 'completed', 'failed'] }),
    tef: Type.Object({
      id: text('Id that you sent'),
      amount: Type.Number(),
      state: Type.String({ enum: Object.keys(PAYOUT_STATES) as PayoutState[], description: 'See docs/payouts.md' }),
      payoutId: text('Id of the payout in this service, for the command line'),
      reason: Type.Nullable(Type.String(), { description: 'Reason of a failure' }),
    }),
  },
  { $id: 'TefResponse' },
);

export const TEF_RESPONSE_EXAMPLE = {
  status: 'processing' as const,
  tef: {
    id: '6f1d4c0e-2b1a-4a7e-9a37-0d4b8d1f3c55',
    amount: 15000,
    state: 'awaiting_approval' as const,
    payoutId: 'po_4m0c7r2n9k5xw3ehb8tq',
    reason: null,
  },
};

const MEMBERS = {
  tef: ['id', 'messageToAddressee', 'amount', 'recipientData', 'bankData', 'url'],
  recipientData: ['rut', 'name', 'email'],
  bankData: ['bankSBIFNumber', 'bankAccount'],
};

/** The error codes of every endpoint that proposes payouts. Each endpoint adds the codes for access. */
export const PROPOSAL_ERRORS = [
  'INVALID_JSON',
  'DUPLICATE_KEY',
  'INVALID_BODY',
  'INVALID_PAYOUT',
  'ACCOUNT_NOT_PAYABLE',
  'PAYOUT_CONFLICT',
  'PAYOUT_LIMIT_REACHED',
  'PAYMENT_SERVICE_AMBIGUOUS',
  'PERSON_NEEDED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  ...MOVE_ERRORS,
] as const;

/** Reads a client's body. Throws `Problem` INVALID_BODY (422) with every wrong member. */
export function readTef({ tef, callbackUrl, ...strange }: Record<string, unknown>): PayoutWish {
  const errors = Object.keys(strange).map((name) => unknownMember(name, ['tef', 'callbackUrl']));
  const wish = readTransfer(tef, '/tef', errors);
  const atRoot = optionalText(callbackUrl, '/callbackUrl', errors);
  if (atRoot !== null && wish.callbackUrl !== null && atRoot !== wish.callbackUrl) errors.push(TWO_CALLBACKS);
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidBody([first, ...others]);
  return { ...wish, callbackUrl: atRoot ?? wish.callbackUrl };
}

const TWO_CALLBACKS = errorItem('/callbackUrl', 'INVALID_PARAMETER', [
  'callbackUrl and tef.url differ.',
  'Send one of them, or the same URL in both.',
  'callbackUrl y tef.url son distintas.',
  'Envía una de las dos, o la misma URL en ambas.',
]);

/**
 * Reads one transfer. Adds every error to `all`, with pointers under `pointer`; the result is usable only without
 * errors.
 */
export function readTransfer(value: unknown, pointer: string, all: ErrorItem[]): PayoutWish {
  const errors: ErrorItem[] = [];
  const tef = objectAt(value, 'tef', pointer, errors);
  const recipient = objectAt(tef['recipientData'], 'recipientData', `${pointer}/recipientData`, errors);
  const bank = objectAt(tef['bankData'], 'bankData', `${pointer}/bankData`, errors);
  const textOf = (parent: 'recipientData' | 'bankData', name: string, most: number) =>
    textAt((parent === 'bankData' ? bank : recipient)[name], `${pointer}/${parent}/${name}`, most, errors);
  const wish = {
    reference: textAt(tef['id'], `${pointer}/id`, 80, errors),
    amount: amountOf(tef['amount'], `${pointer}/amount`, errors),
    message: optionalText(tef['messageToAddressee'], `${pointer}/messageToAddressee`, errors) ?? '',
    callbackUrl: optionalText(tef['url'], `${pointer}/url`, errors),
    payee: {
      rut: textOf('recipientData', 'rut', 20),
      name: textOf('recipientData', 'name', 200),
      email: textOf('recipientData', 'email', 254),
      bankCode: textOf('bankData', 'bankSBIFNumber', 20),
      account: textOf('bankData', 'bankAccount', 60),
      rutFormat: null,
    },
  };
  // A missing object is one error. Its members need none.
  all.push(...errors.filter(({ pointer: at }) => !errors.some((other) => at.startsWith(`${other.pointer}/`))));
  return wish;
}

function objectAt(
  value: unknown,
  name: keyof typeof MEMBERS,
  pointer: string,
  errors: ErrorItem[],
): Record<string, unknown> {
  const members = MEMBERS[name];
  if (isObject(value)) {
    const strange = Object.keys(value).filter((one) => !members.includes(one));
    errors.push(...strange.map((one) => unknownMember(one, members, pointer)));
    return value;
  }
  const fix = { en: `Send an object with ${members.join(', ')}.`, es: `Envía un objeto con ${members.join(', ')}.` };
  errors.push(fault(value === undefined ? 'MISSING_FIELD' : 'INVALID_TYPE', pointer, fix));
  return {};
}

function textAt(value: unknown, pointer: string, most: number, errors: ErrorItem[]): string {
  const code = textFault(value, most);
  if (code === null) return (value as string).trim();
  const fix = { en: `Send a text of 1 to ${most} characters.`, es: `Envía un texto de 1 a ${most} caracteres.` };
  errors.push(fault(code, pointer, fix));
  return '';
}

function textFault(value: unknown, most: number): Fault | null {
  if (value === undefined) return 'MISSING_FIELD';
  if (typeof value !== 'string') return 'INVALID_TYPE';
  if (value.trim() === '') return 'EMPTY_FIELD';
  return value.length > most ? 'FIELD_TOO_LONG' : null;
}

/** Returns the name of a member for a message: `tef`, `recipientData`, or `payouts/3` in a list. */
function nameAt(pointer: string): string {
  const [parent, name = ''] = pointer.split('/').slice(-2);
  return /^\d+$/.test(name) ? `${parent}/${name}` : name;
}

/** Reads whole pesos from a number, or from its digits, as some clients send them. */
function amountOf(value: unknown, pointer: string, errors: ErrorItem[]): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  const wrongText = typeof value === 'number' || typeof value === 'string';
  const code = value === undefined ? 'MISSING_FIELD' : wrongText ? 'INVALID_AMOUNT' : 'INVALID_TYPE';
  errors.push(fault(code, pointer, { en: 'Send whole pesos, such as 15000.', es: 'Envía pesos enteros, como 15000.' }));
  return 0;
}

function optionalText(value: unknown, pointer: string, errors: ErrorItem[]): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= LONGEST_OPTIONAL) return value;
  const code = typeof value === 'string' ? 'FIELD_TOO_LONG' : 'INVALID_TYPE';
  const most = LONGEST_OPTIONAL;
  errors.push(
    fault(code, pointer, {
      en: `Send a text of at most ${most} characters, or leave it out.`,
      es: `Envía un texto de a lo más ${most} caracteres, o no lo envíes.`,
    }),
  );
  return null;
}

const LONGEST_OPTIONAL = 1000;

/** The words after the name of a member that has a fault. */
const FAULTS = {
  MISSING_FIELD: { en: 'is missing', es: 'falta' },
  INVALID_TYPE: { en: 'has the wrong JSON type', es: 'tiene el tipo JSON equivocado' },
  EMPTY_FIELD: { en: 'is empty', es: 'está vacío' },
  FIELD_TOO_LONG: { en: 'is too long', es: 'es demasiado largo' },
  INVALID_AMOUNT: { en: 'is not a whole number', es: 'no es un número entero' },
} as const satisfies Record<string, InBoth>;

type Fault = keyof typeof FAULTS;

function fault(code: Fault, pointer: string, fix: InBoth): ErrorItem {
  const name = nameAt(pointer);
  return errorItem(pointer, code, [`${name} ${FAULTS[code].en}.`, fix.en, `${name} ${FAULTS[code].es}.`, fix.es]);
}
