import type { FastifyRequest } from 'fastify';
import type { ErrorItem } from '../../error-item.ts';
import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import { invalidBody } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import type { RecipientInput } from '../../payouts/recipients/keep-recipient.ts';
import { faultOfText, type Recipient } from '../../payouts/recipients/recipient.ts';
import { readAccountInput } from '../bank-accounts/read-account-input.ts';
import { AccountRequestSchema, PAYOUTS_ERRORS } from '../bank-accounts/validation-schemas.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';

const { rut, bankData, rut_format } = AccountRequestSchema.properties;
const text = (description: string, maxLength: number) => Type.String({ minLength: 1, maxLength, description });

/** The recipient to store: the validated data, with the id of its validation. */
export const RecipientRequestSchema = Type.Object(
  {
    validationId: text('`data.id` of a validation of this account that is plausible or confirmed', 100),
    rut,
    bankData,
    rut_format,
    name: text('Name of the holder, for the people who pay', 200),
    email: Type.Optional(text('E-mail address of the holder, for notices of payouts', 254)),
    paymentServiceId: Type.Optional(
      text(
        'Payment service whose users share the recipient. Default: the only one that the user sees; with none or several, only the user sees the recipient',
        100,
      ),
    ),
  },
  { $id: 'RecipientRequest', additionalProperties: false },
);

export const RECIPIENT_REQUEST_EXAMPLE = {
  validationId: 'bav_0mkfedmo0cbdeeedde06e9b56',
  rut: '12345678-5',
  bankData: { bankSBIFNumber: '012', bankAccount: '12345678' },
  name: 'María González',
};

export const RecipientSchema = Type.Object(
  {
    id: Type.String(),
    version: Type.Integer({
      description: 'Version, from 1. Another account or a newer verdict makes the next version',
    }),
    paymentServiceId: Type.Nullable(Type.String(), {
      description: 'Payment service whose users share the recipient; null: only the user who stored it sees it',
    }),
    name: Type.String(),
    rut: Type.String(),
    email: Type.Nullable(Type.String()),
    bankCode: Type.String(),
    account: Type.Object({ masked: Type.String() }),
    validationId: Type.String(),
    verdict: Type.String({ enum: ['plausible', 'confirmed'] }),
    validatedAt: Type.String(),
    validUntil: Type.String({
      description: '`validatedAt` plus VERDICT_MAX_AGE_DAYS, but not after the validity of the provider’s answer',
    }),
    state: Type.String({
      enum: ['current', 'stale'],
      description: '`stale`: validate the account again before paying',
    }),
    createdAt: Type.String(),
    createdBy: Type.String({ description: 'Id of the user who stored this version' }),
  },
  { $id: 'Recipient' },
);

export const RECIPIENT_EXAMPLE = {
  id: 'rcp_4m0c7r2n9k5xw3ehb8tq',
  version: 1,
  paymentServiceId: 'ps_4m0c7r2n9k5xw3ehb8tq',
  name: 'María González',
  rut: '12345678-5',
  email: null,
  bankCode: '012',
  account: { masked: '•••••5678' },
  validationId: 'bav_0mkfedmo0cbdeeedde06e9b56',
  verdict: 'plausible',
  validatedAt: '2026-01-15T12:00:00.000Z',
  validUntil: '2026-07-14T12:00:00.000Z',
  state: 'current',
  createdAt: '2026-01-15T12:01:00.000Z',
  createdBy: 'usr_4m0c7r2n9k5xw3ehb8tq',
};

export const RecipientReplySchema = replyOf('RecipientReply', RecipientSchema);

export const RECIPIENT_REPLY_EXAMPLE = { message: 'The recipient was stored.', errors: null, data: RECIPIENT_EXAMPLE };

/** The error codes of storing a recipient. */
export const KEEPING_ERRORS = [
  ...MOVE_ERRORS,
  ...PAYOUTS_ERRORS,
  'INVALID_JSON',
  'DUPLICATE_KEY',
  'INVALID_BODY',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'NOT_FOUND',
  'VALIDATION_NOT_USABLE',
  'ACCOUNT_NOT_VALIDATED',
  'RECIPIENT_CONFLICT',
  'CHANGED_IN_STORE',
] as const;

/** Reads the body of a request that stores a recipient. Throws `Problem` INVALID_BODY with every error. */
export function readRecipient(request: FastifyRequest): RecipientInput {
  return recipientInput(readStrictJson(request.body as Buffer | undefined, { depth: 4, members: 64 }));
}

/** Reads a recipient from a parsed body. Throws like `readRecipient`. */
export function recipientInput(body: Record<string, unknown>): RecipientInput {
  const { validationId, name, email = null, paymentServiceId = null } = body;
  const reading = readAccountInput(body, '', ['validationId', 'name', 'email', 'paymentServiceId']);
  const [first, ...others] = [
    ...('errors' in reading ? reading.errors : []),
    ...textErrors('validationId', validationId, 100),
    ...textErrors('name', name, 200),
    ...(email === null ? [] : textErrors('email', email, 254)),
    ...(paymentServiceId === null ? [] : textErrors('paymentServiceId', paymentServiceId, 100)),
  ];
  if (first !== undefined || !('input' in reading)) throw invalidBody([first, ...others]);
  return {
    validationId: String(validationId),
    paymentServiceId: paymentServiceId as string | null,
    account: reading.input,
    name: String(name).trim(),
    // The erasure of a person's data finds the recipient by this text.
    email: typeof email === 'string' ? email.trim() : null,
  };
}

function textErrors(name: string, value: unknown, most: number): ErrorItem[] {
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= most;
  const code = isText ? faultOfText(value) : value === undefined ? 'MISSING_FIELD' : 'INVALID_TYPE';
  if (code === null) return [];
  return [
    {
      pointer: `/${name}`,
      code,
      message: `${name} is missing or cannot be used.`,
      fix: `Send a text of 1 to ${most} characters${isText ? ', without line breaks or a card number' : ''}.`,
      es: {
        message: `${name} falta o no sirve.`,
        fix: `Envía un texto de 1 a ${most} caracteres${isText ? ', sin saltos de línea ni un número de tarjeta' : ''}.`,
      },
    },
  ];
}

/** Returns a recipient as JSON. */
export function recipientJson(recipient: Recipient): Static<typeof RecipientSchema> {
  const { maskedAccount, validatedAt, validUntil, createdAt, verdict, ...same } = recipient;
  return {
    ...same,
    // Recipients are stored with these two verdicts only.
    verdict: verdict as 'plausible' | 'confirmed',
    account: { masked: maskedAccount },
    validatedAt: new Date(validatedAt).toISOString(),
    validUntil: new Date(validUntil).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}
