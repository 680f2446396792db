import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { invalidBody, readMembers } from '../../http/read-members.ts';
import { requireUser } from '../../http/require-user.ts';
import { boundsOfDay } from '../../lib/calendar-day.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import { listPayouts } from '../../movements/list-movements.ts';
import type { ListedMovement } from '../../movements/movement-queries.ts';
import { readDay, readScope } from './remittance-scope.ts';

const MOST = 500;
const USUAL = 10;

const LimitSchema = Type.Object(
  { limit: Type.Optional(Type.String({ description: `How many, as text; ${USUAL} unless said, at most ${MOST}` })) },
  { $id: 'RemittancesRequest', additionalProperties: false },
);

const unknown = Type.Null({ description: 'Not known to the books' });

const RemittanceSchema = Type.Object(
  {
    idAuth0: Type.String({ description: 'The user who asks' }),
    trxData: Type.Object({ messageToAddressee: Type.String({ description: 'The reference of the payout' }) }),
    clientData: Type.Object({
      rutAddressee: unknown,
      nameAddressee: Type.String({ description: 'The payment service' }),
      emailAddressee: unknown,
    }),
    status: Type.String({ enum: ['completed', 'failed'], description: '`failed`: the payout was taken back' }),
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    amount: Type.Number(),
    bankData: Type.Object({ bankSBIFNumber: unknown, bankAccountNumber: unknown }),
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

/** The last payouts to the merchants that the user sees, as clients of the first API read them. */
export const postGetRemittances = operation({
  consumes: ['application/json'],
  bodyOptional: true,
  describe: {
    ...CONTRACT,
    operationId: 'listRemittances',
    summary: 'List the last payouts',
    description: 'The remittances of the environment of RUBRICA_ENV, in every currency, from the books.',
  },
  handle: async (app, request) => answer(app, request, () => ({ from: 0, to: Number.MAX_SAFE_INTEGER })),
});

/** The same of a day of Chile. */
export const postGetRemittance = operation({
  consumes: ['application/json'],
  bodyOptional: true,
  describe: {
    ...CONTRACT,
    operationId: 'listRemittancesOfDay',
    summary: 'List the payouts of a day',
    description: 'The remittances of the environment of RUBRICA_ENV, in every currency, from the books.',
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
  const payouts = await listPayouts(app, { environmentIds, ...span }, limit);
  const message = payouts.length === 0 ? 'No se encontraron remittances' : 'Se encontraron remittances';
  return { message, remittances: payouts.map((payout) => describe(user.id, payout)) };
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
