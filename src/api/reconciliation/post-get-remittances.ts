import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import type { User } from '../../auth/user.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { invalidBody, readMembers } from '../../http/read-members.ts';
import { requireUser } from '../../http/require-user.ts';
import { boundsOfDay } from '../../lib/calendar-day.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import { listPayouts } from '../../movements/list-movements.ts';
import type { ListedMovement } from '../../movements/movement-queries.ts';
import { listRemitted, type RemittedPayout } from '../../payouts/list-remitted.ts';
import { tefResponse } from '../../payouts/payout-told.ts';
import { readDay, readScope } from './remittance-scope.ts';

const MOST = 500;
const USUAL = 10;

const LimitSchema = Type.Object(
  { limit: Type.Optional(Type.String({ description: `How many, as text; ${USUAL} unless said, at most ${MOST}` })) },
  { $id: 'RemittancesRequest', additionalProperties: false },
);

const ofPerson = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const RemittanceSchema = Type.Object(
  {
    idAuth0: Type.String({ description: 'The user who asks' }),
    trxData: Type.Object({
      messageToAddressee: Type.String({
        description: 'The message of a payout to a person; the reference of a payout to the merchant',
      }),
    }),
    clientData: Type.Object({
      rutAddressee: ofPerson('Null of a payout to the merchant, and of a person who was erased'),
      nameAddressee: ofPerson('Of a payout to the merchant its payment service'),
      emailAddressee: ofPerson('Null where none was given'),
    }),
    status: Type.String({
      enum: ['processing', 'completed', 'failed'],
      description: 'As `GET /tef/{id}` says it; `failed` of a payout to the merchant: it was taken back',
    }),
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    amount: Type.Number(),
    bankData: Type.Object({
      bankSBIFNumber: ofPerson('Null of a payout to the merchant'),
      bankAccountNumber: ofPerson('Five bullets and the last four digits'),
    }),
    currency: Type.String(),
    environment: Type.String(),
    paymentService: Type.String(),
  },
  { $id: 'Remittance' },
);

const RemittancesSchema = Type.Object(
  { message: Type.String(), remittances: Type.Array(RemittanceSchema) },
  { $id: 'Remittances' },
);

const EXAMPLE = {
  message: 'Se encontraron remittances',
  remittances: [
    {
      idAuth0: 'usr_0123456789abcdefghjk',
      trxData: { messageToAddressee: 'Pago factura 12' },
      clientData: { rutAddressee: '12531909-2', nameAddressee: 'Ana Núñez', emailAddressee: 'ana@example.cl' },
      status: 'processing',
      timestamp: 1_768_478_460,
      amount: 9000,
      bankData: { bankSBIFNumber: '012', bankAccountNumber: '•••••1909' },
      currency: 'CLP',
      environment: 'production',
      paymentService: 'ps_0123456789abcdefghjk',
    },
    {
      idAuth0: 'usr_0123456789abcdefghjk',
      trxData: { messageToAddressee: 'TEF-0001' },
      clientData: { rutAddressee: null, nameAddressee: 'My shop', emailAddressee: null },
      status: 'completed',
      timestamp: 1_768_478_400,
      amount: 15_238,
      bankData: { bankSBIFNumber: null, bankAccountNumber: null },
      currency: 'CLP',
      environment: 'production',
      paymentService: 'ps_0123456789abcdefghjk',
    },
  ],
};

const CONTRACT = {
  tag: 'Reconciliation',
  body: LimitSchema,
  bodyExample: { limit: '10' },
  replies: { 200: { description: 'The newest first', schema: RemittancesSchema, example: EXAMPLE } },
  errors: ['INVALID_BODY', 'CONTROL_CHARACTER', 'FIELD_TOO_LONG', 'PERMISSION_MISSING'],
} as const;

const MEANS =
  'The remittances of the environment of RUBRICA_ENV, in every currency: the payouts to the merchants whose books you read and, for who may read `GET /tef/{id}`, those to people; whom these are for takes `recipients:read`, and is null without it. `limit` holds for both together.';

/** Lists the newest payouts to merchants and to people that the user may read, in the format of the first API version. */
export const postGetRemittances = operation({
  consumes: ['application/json'],
  bodyOptional: true,
  describe: {
    ...CONTRACT,
    operationId: 'listRemittances',
    summary: 'List the last payouts',
    description: MEANS,
  },
  handle: async (app, request) => answer(app, request, () => ({ from: 0, to: Number.MAX_SAFE_INTEGER })),
});

/** Lists the payouts of one Chilean day in the same format. */
export const postGetRemittance = operation({
  consumes: ['application/json'],
  bodyOptional: true,
  describe: {
    ...CONTRACT,
    operationId: 'listRemittancesOfDay',
    summary: 'List the payouts of a day',
    description: MEANS,
    parameters: [
      {
        name: 'date',
        in: 'path',
        required: true,
        description: 'YYYY-MM-DD, a day of Chile',
        schema: Type.String({ examples: ['2026-01-15'] }),
      },
    ],
    errors: ['INVALID_PARAMETER', ...CONTRACT.errors],
  },
  handle: async (app, request) => {
    const { date } = request.params as { date: string };
    return answer(app, request, () => {
      const day = readDay(date);
      if (day === null)
        throw new Problem('INVALID_PARAMETER', {
          detail: { en: 'The date is a day such as 2026-01-15.', es: 'La fecha es un día como 2026-01-15.' },
        });
      return boundsOfDay(day);
    });
  },
});

async function answer(
  app: App,
  request: FastifyRequest,
  readSpan: () => { from: number; to: number },
): Promise<Static<typeof RemittancesSchema>> {
  const user = await requireUser(app, request);
  const limit = readLimit(request);
  const span = readSpan();
  const { environmentIds } = await readScope(app, user, {
    whose: undefined,
    environment: undefined,
    currency: undefined,
  });
  const [toMerchants, toPeople] = await Promise.all([
    listPayouts(app, { environmentIds, ...span }, limit),
    mayAny(user.may, readWith('payouts:create')) ? listRemitted(app, { environmentIds, ...span }, limit) : [],
  ]);
  const remittances = [
    ...toMerchants.map((one) => ({ at: one.created_at, said: describe(user.id, one) })),
    ...toPeople.map((one) => ({ at: one.payout.created_at, said: describeToPerson(user, one) })),
  ].sort((one, other) => other.at - one.at);
  const newest = remittances.slice(0, limit).map(({ said }) => said);
  return { message: `${newest.length === 0 ? 'No se' : 'Se'} encontraron remittances`, remittances: newest };
}

function readLimit(request: FastifyRequest): number {
  const empty = ((request.body as Buffer | undefined)?.length ?? 0) === 0;
  const limit = empty ? null : readMembers(request, LimitSchema).limit;
  if (limit === null) return USUAL;
  if (/^[1-9][0-9]{0,2}$/.test(limit) && Number(limit) <= MOST) return Number(limit);
  const fix = `Send a number from 1 to ${MOST} as text.`;
  const es = { message: 'limit no sirve.', fix: `Envía un número de 1 a ${MOST} como texto.` };
  throw invalidBody([{ pointer: '/limit', code: 'INVALID_PARAMETER', message: 'limit cannot be used.', fix, es }]);
}

function describe(userId: string, payout: ListedMovement): Static<typeof RemittanceSchema> {
  return {
    idAuth0: userId,
    trxData: { messageToAddressee: payout.reference },
    clientData: { rutAddressee: null, nameAddressee: payout.name, emailAddressee: null },
    status: payout.returned_at === null ? 'completed' : 'failed',
    timestamp: Math.floor(payout.created_at / 1000),
    amount: toDecimalNumber(payout.amount, payout.currency),
    bankData: { bankSBIFNumber: null, bankAccountNumber: null },
    currency: payout.currency,
    environment: payout.environment,
    paymentService: payout.payment_service_id,
  };
}

/** Describes a payout to a person. Recipient and account are null without the permission `recipients:read`. */
function describeToPerson(
  { id, may }: User,
  { payout, owner, ...kept }: RemittedPayout,
): Static<typeof RemittanceSchema> {
  const isTold = may.has('recipients:read');
  const recipient = isTold ? kept.recipient : null;
  return {
    idAuth0: id,
    trxData: { messageToAddressee: payout.message },
    clientData: {
      rutAddressee: recipient?.rut ?? null,
      nameAddressee: recipient?.name ?? null,
      emailAddressee: recipient?.email ?? null,
    },
    status: tefResponse(payout).status,
    timestamp: Math.floor(payout.created_at / 1000),
    amount: toDecimalNumber(payout.amount, payout.currency),
    bankData: {
      bankSBIFNumber: isTold ? payout.bank_code : null,
      bankAccountNumber: isTold ? payout.account_masked : null,
    },
    currency: payout.currency,
    environment: owner.environment,
    paymentService: owner.paymentServiceId,
  };
}
