import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import type { User } from '../../auth/user.ts';
import { invalidParameter } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { invalidBody, MEMBER_ERRORS, readMembers } from '../../http/read-members.ts';
import { requireUser } from '../../http/require-user.ts';
import { boundsOfDay } from '../../lib/calendar-day.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import { type ListedMovement, selectPayouts } from '../../movements/movement-queries.ts';
import { listRemitted, type RemittedPayout } from '../../payouts/list-remitted.ts';
import { tefResponse } from '../../payouts/payout-notice.ts';
import { readRemittanceDay, readScope } from './remittance-scope.ts';

const MOST = 500;
const USUAL = 10;

const LimitSchema = Type.Object(
  {
    limit: Type.Optional(
      Type.String({ description: `Number of remittances, as text. Default: ${USUAL}; at most ${MOST}` }),
    ),
  },
  { $id: 'RemittancesRequest', additionalProperties: false },
);

const ofPerson = (description: string) => Type.Nullable(Type.String(), { description });

const RemittanceSchema = Type.Object(
  {
    idAuth0: Type.String({ description: 'User of the access token' }),
    trxData: Type.Object({
      messageToAddressee: Type.String({
        description: 'Message of a payout to a person; reference of a payout to a merchant',
      }),
    }),
    clientData: Type.Object({
      rutAddressee: ofPerson('Null for a payout to a merchant and for an erased person'),
      nameAddressee: ofPerson('For a payout to a merchant, the name of its payment service'),
      emailAddressee: ofPerson('Null if none was given'),
    }),
    status: Type.String({
      enum: ['processing', 'completed', 'failed'],
      description: 'As in `GET /tef/{id}`. For a payout to a merchant, `failed` means that it was returned',
    }),
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    amount: Type.Number(),
    bankData: Type.Object({
      bankSBIFNumber: ofPerson('Null for a payout to a merchant'),
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
  replies: { 200: { description: 'Remittances, newest first', schema: RemittancesSchema, example: EXAMPLE } },
  errors: [...MEMBER_ERRORS, 'PERMISSION_MISSING'],
} as const;

const MEANS =
  'Returns remittances of the environment of RUBRICA_ENV, in every currency: payouts to the merchants whose books you can read and, if you can read `GET /tef/{id}`, payouts to people. The recipient and the bank account of a payout to a person are null without the permission `recipients:read`. `limit` applies to both kinds together.';

/**
 * Lists the newest payouts to merchants and to people that the user may read, in the format of the first API version.
 */
export const postGetRemittances = operation({
  consumes: ['application/json'],
  bodyOptional: true,
  describe: {
    ...CONTRACT,
    operationId: 'listRemittances',
    summary: 'List the newest payouts',
    description: MEANS,
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    return answer(app, user, { from: 0, to: Number.MAX_SAFE_INTEGER }, readLimit(request));
  },
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
        description: 'Day of Chile, YYYY-MM-DD',
        schema: Type.String({ examples: ['2026-01-15'] }),
      },
    ],
    errors: ['INVALID_PARAMETER', ...CONTRACT.errors],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const limit = readLimit(request);
    const { date } = request.params as { date: string };
    const day = readRemittanceDay(date);
    if (day === null)
      throw invalidParameter('The date is a day such as 2026-01-15.', 'La fecha es un día como 2026-01-15.');
    return answer(app, user, boundsOfDay(day), limit);
  },
});

async function answer(
  app: App,
  user: User,
  span: { from: number; to: number },
  limit: number,
): Promise<Static<typeof RemittancesSchema>> {
  const { environmentIds } = await readScope(app, user);
  const [toMerchants, toPeople] = await Promise.all([
    selectPayouts(app.db, { environmentIds, ...span }, limit),
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
