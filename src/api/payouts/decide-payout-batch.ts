import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import { MEMBER_ERRORS, readMembers } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { approvePayouts, cancelPayouts, rejectPayouts, submitPayouts } from '../../payouts/approval/decide-payouts.ts';
import { findBatch } from '../../payouts/find-payout.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';
import { BATCH_ERRORS, BATCH_EXAMPLE, BATCH_ID, BatchSchema, proveApproval, readBatch } from './batch-schemas.ts';
import { readReason } from './statement-schemas.ts';

const DecidedSchema = replyOf(
  'PayoutBatchDecided',
  Type.Object({
    decided: Type.Integer({ description: 'Number of payouts that the decision changed' }),
    batch: BatchSchema,
  }),
);

const REPLIES = {
  200: {
    description: 'The batch as it is now',
    schema: DecidedSchema,
    example: { message: 'The batch was decided.', errors: null, data: { decided: 2, batch: BATCH_EXAMPLE } },
  },
};

const ERRORS = [
  ...BATCH_ERRORS,
  ...MOVE_ERRORS,
  'PERSON_NEEDED',
  'PAYOUT_STATE',
  'INVALID_JSON',
  ...MEMBER_ERRORS,
  'UNSUPPORTED_MEDIA_TYPE',
] as const;

const ApprovalSchema = Type.Object(
  {
    code: Type.Optional(
      Type.String({ description: 'Code of your app, or a recovery code; always required, and valid once' }),
    ),
    reason: Type.Optional(
      Type.String({ description: 'Reason, up to 200 characters, stored for later readers; do not name a person' }),
    ),
  },
  { $id: 'PayoutBatchApproval', additionalProperties: false },
);

/** Approves the payouts of a batch that wait for approval. */
export const postPayoutBatchApprove = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'approvePayoutBatch',
    summary: 'Approve a batch of payouts',
    description:
      'Approves all payouts of the batch that wait for approval, or none, and reserves their money. Only a person can approve, with the `code` of the second factor. This person must not have proposed the payouts, changed one of their accounts, or made an API token or set the password of the program that proposed them.',
    tag: 'Payouts',
    parameters: [...BATCH_ID],
    body: ApprovalSchema,
    bodyExample: { code: '123456', reason: 'facturas de enero' },
    replies: REPLIES,
    errors: [
      ...ERRORS,
      'APPROVAL_REFUSED',
      'INSUFFICIENT_BALANCE',
      'PAYOUT_LIMIT_REACHED',
      'SECOND_FACTOR_NEEDED',
      'FACTOR_REFUSED',
      'RATE_LIMITED',
    ],
  },
  handle: async (app, request) => {
    const { code, reason } = readMembers(request, ApprovalSchema);
    return decide(app, request, approvePayouts, {
      reason: reason === null ? null : readReason(reason),
      prove: (user) => proveApproval(app, request, user, code),
    });
  },
});

/** Submits a draft batch for approval. */
export const postPayoutBatchSubmit = operation({
  describe: {
    operationId: 'submitPayoutBatch',
    summary: 'Submit a draft for approval',
    description:
      'Submits a batch that was proposed with `draft`: its payouts now wait for the approval of another person. Send no body.',
    tag: 'Payouts',
    parameters: [...BATCH_ID],
    replies: REPLIES,
    errors: [...BATCH_ERRORS, ...MOVE_ERRORS, 'PERSON_NEEDED', 'PAYOUT_STATE'],
  },
  handle: (app, request) => decide(app, request, submitPayouts, { reason: null }),
});

const ReasonSchema = Type.Object(
  {
    reason: Type.String({
      description: 'Reason, up to 200 characters, stored for later readers; do not name a person',
    }),
  },
  { $id: 'PayoutBatchReason', additionalProperties: false },
);

/** Rejects the payouts of a batch that wait for approval. */
export const postPayoutBatchReject = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'rejectPayoutBatch',
    summary: 'Reject a batch of payouts',
    description: 'Rejects the payouts of the batch that wait for approval. None of their money was reserved.',
    tag: 'Payouts',
    parameters: [...BATCH_ID],
    body: ReasonSchema,
    bodyExample: { reason: 'ya se pagó por caja' },
    replies: REPLIES,
    errors: [...ERRORS],
  },
  handle: (app, request) => decide(app, request, rejectPayouts, reasonOf(request)),
});

/** Cancels the payouts of a batch that have not left. */
export const postPayoutBatchCancel = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'cancelPayoutBatch',
    summary: 'Cancel a batch of payouts',
    description: 'Cancels the payouts that have not left, approved or not, and releases their reserved money.',
    tag: 'Payouts',
    parameters: [...BATCH_ID],
    body: ReasonSchema,
    bodyExample: { reason: 'proveedor equivocado' },
    replies: REPLIES,
    errors: [...ERRORS],
  },
  handle: (app, request) => decide(app, request, cancelPayouts, reasonOf(request)),
});

type Decision = { reason: string | null; prove?: (user: User) => Promise<void> };

async function decide(
  app: App,
  request: FastifyRequest,
  act: typeof approvePayouts,
  { reason, prove }: Decision,
): Promise<Static<typeof DecidedSchema>> {
  const user = await requireUser(app, request);
  const { id } = request.params as { id: string };
  const { owner } = await findBatch(app, user.environmentIds, id);
  await prove?.(user);
  const by = actorOf(request, user);
  const decided = await act(app, { owner, named: { batchId: id }, by, reason });
  const batch = await readBatch(app, user, id);
  return { message: 'The batch was decided.', errors: null, data: { decided: decided.length, batch } };
}

function reasonOf(request: FastifyRequest): Decision {
  return { reason: readReason(readMembers(request, ReasonSchema).reason) };
}
