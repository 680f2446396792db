import type { FastifyRequest } from 'fastify';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { invalidBody, unknownMember } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { limitItems } from '../../http/request-limits.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { findPayoutOwner } from '../../payouts/find-payout-owner.ts';
import { proposePayouts } from '../../payouts/propose-payouts.ts';
import { faultOfText } from '../../payouts/recipients/recipient.ts';
import { BATCH_ERRORS, BATCH_EXAMPLE, BatchSchema, readBatch } from './batch-schemas.ts';
import { checkCallback } from './post-tef.ts';
import { isText, wrong } from './statement-schemas.ts';
import { PROPOSAL_ERRORS, readTransfer, TEF_REQUEST_EXAMPLE, TefRequestSchema } from './tef-schemas.ts';

/** The most payouts in one request. A file in the console or on the command line may have 10,000. */
const MOST_PAYOUTS = 1000;
/** Limits of the JSON reader. 16 members per payout leave room for unknown members, so that errors can name them. */
const LIMITS = { depth: 5, members: 16 * MOST_PAYOUTS };
const NAMES = ['name', 'payouts', 'paymentServiceId', 'environment', 'draft'];

const RequestSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the batch, shown to approvers, up to 200 characters' }),
    payouts: Type.Array(TefRequestSchema.properties.tef, {
      description: `1 to ${MOST_PAYOUTS} payouts, each like \`tef\` of \`POST /tef\``,
    }),
    paymentServiceId: Type.Optional(
      Type.String({ description: 'Payment service that pays. Default: the only one that the user sees' }),
    ),
    environment: Type.Optional(
      Type.String({ enum: ['development', 'production'], description: 'Default: the environment of RUBRICA_ENV' }),
    ),
    draft: Type.Optional(Type.Boolean({ description: 'true: the batch does not wait for approval yet' })),
  },
  { $id: 'PayoutBatchRequest', additionalProperties: false },
);

/** Proposes payouts that are approved and sent together. */
export const postPayoutBatches = operation({
  consumes: ['application/json'],
  bodyLimit: 512 * 1024,
  describe: {
    operationId: 'proposePayoutBatch',
    summary: 'Propose a batch of payouts',
    description:
      'Creates a batch of payouts. One bad row refuses the whole batch, and the response names every bad row. Each account is validated. Every batch waits for the approval of another person, also if a program proposed it. The same payouts again (their ids with the same fields) return the same batch. A payout that exceeds one transfer is split into several.',
    tag: 'Payouts',
    body: RequestSchema,
    bodyExample: { name: 'Proveedores enero', payouts: [TEF_REQUEST_EXAMPLE.tef] },
    replies: {
      201: {
        description: 'Stored, now or by an earlier identical request',
        schema: replyOf('PayoutBatchProposed', BatchSchema),
        example: { message: 'The batch was recorded.', errors: null, data: BATCH_EXAMPLE },
        headers: { 'Idempotency-Hit': 'true if these payouts were sent before' },
      },
    },
    errors: [...BATCH_ERRORS, ...PROPOSAL_ERRORS],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const { name, wishes, draft, ...named } = readProposal(request);
    const owner = await findPayoutOwner(app, user, named);
    for (const [row, { callbackUrl }] of wishes.entries())
      checkCallback(app, owner, callbackUrl, `/payouts/${row}/url`);
    await limitItems(app, request, user.id, wishes.length);
    const by = actorOf(request, user);
    const proposal = { owner, by, wishes, batch: { name, fileSha256: null }, draft };
    const { kind, batch, payouts } = await proposePayouts(app, proposal).catch(namePayouts);
    const id = batch?.id ?? payouts[0]?.batch_id ?? null;
    if (id === null) throw new Problem('PAYOUT_CONFLICT', { detail: SINGLE });
    const data = await readBatch(app, user, id);
    if (kind === 'replayed') {
      const isWhole = data.payouts === payouts.length && payouts.every(({ batch_id }) => batch_id === id);
      if (!isWhole) throw new Problem('PAYOUT_CONFLICT', { detail: OTHERS });
      reply.header('idempotency-hit', 'true');
    }
    reply.code(201);
    return { message: 'The batch was recorded.', errors: null, data };
  },
});

const SINGLE = {
  en: 'These payouts were proposed one by one, and are in no batch.',
  es: 'Estos pagos se propusieron uno por uno, y no están en un lote.',
};

const OTHERS = {
  en: 'These payouts were proposed before, and not as one batch of these alone. GET /tef/{id} reads each.',
  es: 'Estos pagos se propusieron antes, pero no como un lote de solo estos. GET /tef/{id} lee cada uno.',
};

/** Moves the pointers of row errors under `/payouts`. */
function namePayouts(error: unknown): never {
  if (!(error instanceof Problem) || error.extras.errors === undefined) throw error;
  throw new Problem(error.code, {
    ...error.extras,
    errors: error.extras.errors.map((item) => ({ ...item, pointer: `/payouts${item.pointer}` })),
  });
}

function readProposal(request: FastifyRequest) {
  const body = readStrictJson(request.body as Buffer | undefined, LIMITS);
  const { name, payouts, paymentServiceId = null, environment = null, draft = false } = body;
  const errors = [
    ...Object.keys(body).flatMap((member) => (NAMES.includes(member) ? [] : [unknownMember(member, NAMES)])),
    ...(isText(name, 200) && faultOfText(name) === null
      ? []
      : [
          wrong(
            'name',
            'Send a text of 1 to 200 characters, without line breaks or a card number.',
            'Envía un texto de 1 a 200 caracteres, sin saltos de línea ni un número de tarjeta.',
          ),
        ]),
    ...(Array.isArray(payouts) && payouts.length > 0 && payouts.length <= MOST_PAYOUTS
      ? []
      : [
          wrong(
            'payouts',
            `Send an array of 1 to ${MOST_PAYOUTS} payouts.`,
            `Envía un arreglo de 1 a ${MOST_PAYOUTS} pagos.`,
          ),
        ]),
    ...(paymentServiceId === null || isText(paymentServiceId, 100)
      ? []
      : [wrong('paymentServiceId', 'Send the id of a payment service.', 'Envía el id de un servicio de pago.')]),
    ...(environment === null || environment === 'development' || environment === 'production'
      ? []
      : [wrong('environment', 'Send development or production.', 'Envía development o production.')]),
    ...(typeof draft === 'boolean' ? [] : [wrong('draft', 'Send true or false.', 'Envía true o false.')]),
  ];
  const rows = errors.length === 0 ? (payouts as unknown[]) : [];
  const wishes = rows.map((row, place) => readTransfer(row, `/payouts/${place}`, errors));
  const [first, ...others] = errors.slice(0, 1000);
  if (first !== undefined) throw invalidBody([first, ...others]);
  return {
    name: (name as string).trim(),
    wishes,
    paymentServiceId: paymentServiceId as string | null,
    environment: environment as 'development' | 'production' | null,
    draft: draft as boolean,
  };
}
