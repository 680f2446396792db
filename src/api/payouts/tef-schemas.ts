import { type ErrorItem, errorItem } from '../../error-catalogue.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody, unknownMember } from '../../http/read-members.ts';
import { PAYOUT_STATES, type PayoutState } from '../../payouts/payout.ts';
import type { PayoutWish } from '../../payouts/payout-wish.ts';
import { isObject } from '../bank-accounts/read-account-input.ts';

const text = (description: string) => Type.String({ description });

/** The body that published clients send. The callback's address stands at the root, or within `tef` as `url`. */
export const TefRequestSchema = Type.Object(
  {
    tef: Type.Object(
      {
        id: text('Your own: 1 to 80 letters, digits, points, hyphens, underscores. The same again is the same payout'),
        messageToAddressee: Type.Optional(text('A text for the recipient, up to 200 characters')),
        amount: Type.Union([Type.Integer(), Type.String()], { description: 'Whole pesos, as a number or its digits' }),
        recipientData: Type.Object(
          { rut: text('With or without points'), name: text('Of the holder'), email: text('Of the holder') },
          { additionalProperties: false },
        ),
        bankData: Type.Object(
          { bankSBIFNumber: text('Three digits'), bankAccount: text('As a text, so that its zeros stay') },
          { additionalProperties: false },
        ),
        url: Type.Optional(text('Where the end is told')),
      },
      { additionalProperties: false },
    ),
    callbackUrl: Type.Optional(text('Where the end is told')),
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
      id: text('As you sent it'),
      amount: Type.Number(),
      state: Type.String({ enum: Object.keys(PAYOUT_STATES) as PayoutState[], description: 'See docs/payouts.md' }),
      payoutId: text('Ours, for the command line'),
      reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed' }),
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

/** Reads the body of a client. Throws `Problem` INVALID_BODY (422) with every member that is wrong. */
export function readTef(body: Record<string, unknown>): PayoutWish {
  const errors: ErrorItem[] = [];
  const objectAt = (parent: Record<string, unknown>, name: keyof typeof MEMBERS, pointer: string) => {
    const value = parent[name];
    if (!isObject(value)) {
      errors.push(
        wrong(pointer, [
          `${name} is missing or no object.`,
          `Send an object with ${MEMBERS[name].join(', ')}.`,
          `${name} falta o no es un objeto.`,
          `Envía un objeto con ${MEMBERS[name].join(', ')}.`,
        ]),
      );
      return {};
    }
    for (const strange of Object.keys(value).filter((one) => !MEMBERS[name].includes(one))) {
      errors.push(unknownMember(strange, MEMBERS[name], pointer));
    }
    return value;
  };
  const textAt = (parent: Record<string, unknown>, name: string, pointer: string, most = 254): string => {
    const value = parent[name];
    if (typeof value === 'string' && value.trim() !== '' && value.length <= most) return value.trim();
    errors.push(
      wrong(`${pointer}/${name}`, [
        `${name} is missing or empty.`,
        `Send a text of 1 to ${most} characters.`,
        `${name} falta o está vacío.`,
        `Envía un texto de 1 a ${most} caracteres.`,
      ]),
    );
    return '';
  };
  for (const strange of Object.keys(body).filter((name) => !['tef', 'callbackUrl'].includes(name))) {
    errors.push(unknownMember(strange, ['tef', 'callbackUrl']));
  }
  const tef = objectAt(body, 'tef', '/tef');
  const recipient = objectAt(tef, 'recipientData', '/tef/recipientData');
  const bank = objectAt(tef, 'bankData', '/tef/bankData');
  const wish = {
    reference: textAt(tef, 'id', '/tef', 80),
    amount: amountOf(tef['amount'], errors),
    message: optionalText(tef['messageToAddressee'], '/tef/messageToAddressee', errors) ?? '',
    callbackUrl:
      optionalText(body['callbackUrl'], '/callbackUrl', errors) ?? optionalText(tef['url'], '/tef/url', errors),
    payee: {
      rut: textAt(recipient, 'rut', '/tef/recipientData', 20),
      name: textAt(recipient, 'name', '/tef/recipientData', 200),
      email: textAt(recipient, 'email', '/tef/recipientData'),
      bankCode: textAt(bank, 'bankSBIFNumber', '/tef/bankData', 20),
      account: textAt(bank, 'bankAccount', '/tef/bankData', 60),
      rutFormat: null,
    },
  };
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidBody([first, ...others]);
  return wish;
}

/** A number, or its digits as some clients send them. */
function amountOf(value: unknown, errors: ErrorItem[]): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  errors.push(
    wrong('/tef/amount', [
      'amount is missing or no whole number.',
      'Send whole pesos, such as 15000.',
      'amount falta o no es un número entero.',
      'Envía pesos enteros, como 15000.',
    ]),
  );
  return 0;
}

function optionalText(value: unknown, pointer: string, errors: ErrorItem[]): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= 1000) return value;
  errors.push(
    wrong(pointer, [
      'It is no text, or too long.',
      'Send a text, or leave it out.',
      'No es un texto, o es demasiado largo.',
      'Envía un texto, o no lo envíes.',
    ]),
  );
  return null;
}

function wrong(pointer: string, words: Parameters<typeof errorItem>[2]): ErrorItem {
  return errorItem(pointer, 'INVALID_PARAMETER', words);
}
