import { pageOf } from '../../db/newest-page.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import {
  CURSOR_PARAMETER,
  limitParameter,
  NEXT,
  placeCursor,
  readIdCursor,
  readPlaceCursor,
} from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import { environmentOf } from '../../payment-services/find-environment.ts';
import { listFilesOfBatch } from '../../payouts/files/find-payout-file.ts';
import { findBatch, listBatches, listPayouts } from '../../payouts/find-payout.ts';
import { contradictingLines } from '../../payouts/payout.ts';
import { type ShownPayout, showPayouts } from '../../payouts/show-payouts.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';
import { BATCH_ERRORS, BATCH_EXAMPLE, BATCH_ID, BatchSchema, batchJson } from './batch-schemas.ts';
import { FILE_EXAMPLE, fileJson, PayoutFileSchema, StateSchema } from './get-payout-files.ts';

const MOST = 100;
const MOST_SHOWN = 1000;

/** Lists the batches that the user may see. */
export const getPayoutBatches = operation({
  describe: {
    operationId: 'listPayoutBatches',
    summary: 'List the batches of payouts',
    description:
      'Returns the batches, newest first, each with the number and sum of its payouts in each state. Send `next` as `after` for older batches.',
    tag: 'Payouts',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST)],
    replies: {
      200: {
        description: 'A page of batches, newest first',
        schema: replyOf('PayoutBatchList', Type.Object({ batches: Type.Array(BatchSchema), next: NEXT })),
        example: { message: 'OK', errors: null, data: { batches: [BATCH_EXAMPLE], next: null } },
      },
    },
    errors: [...BATCH_ERRORS, 'INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { after: sent, limit = MOST } = query();
    const after = readPlaceCursor(sent);
    const read = await listBatches(app, user.environmentIds, { after, limit: limit + 1 });
    const { page, next } = pageOf(read, limit, ({ batch }) => placeCursor(batch));
    const batches: Static<typeof BatchSchema>[] = [];
    for (const one of page) {
      batches.push(batchJson(one, await environmentOf(app, one.batch)));
    }
    return { message: 'OK', errors: null, data: { batches, next } };
  },
});

const BatchedPayoutSchema = Type.Object(
  {
    id: Type.String(),
    reference: Type.String({
      description: 'Id that was sent, with `/1`, `/2` … for the parts of a payout that exceeds one transfer',
    }),
    amount: Type.Integer({ description: 'Whole pesos' }),
    state: StateSchema,
    recipient: Type.Nullable(
      Type.Object(
        { id: Type.String(), name: Type.String(), rut: Type.String() },
        { description: 'The recipient; null: it was erased' },
      ),
    ),
    bankCode: Type.String(),
    account: Type.Object({ masked: Type.String() }),
    verdict: Type.String(),
    verdictDays: Type.Integer({ description: 'Age of the verdict of the account, in days' }),
    warnings: Type.Array(
      Type.Object({ code: Type.String({ description: 'See docs/payouts.md' }), text: Type.String() }),
      { description: 'Warnings to read before approval' },
    ),
    approvedBy: Type.Nullable(Type.String()),
    file: Type.Nullable(Type.String(), { description: 'Id of the bank file in which the payout left' }),
    line: Type.Nullable(Type.Integer()),
    reason: Type.Nullable(Type.String()),
    contradiction: Type.Nullable(Type.String()),
    contradictedBy: Type.Nullable(Type.String(), {
      description: 'Line of a bank statement that contradicts the payout: id of the statement, `/`, line in the file',
    }),
    contradictingLines: Type.Array(Type.String(), {
      description: 'All lines of bank statements that contradict the payout, each like `contradictedBy`',
    }),
  },
  { $id: 'BatchedPayout' },
);

const PAYOUT_EXAMPLE = {
  id: 'po_4m0c7r2n9k5xw3ehb8tq',
  reference: 'factura-12',
  amount: 15_000,
  state: 'awaiting_approval' as const,
  recipient: { id: 'rcp_4m0c7r2n9k5xw3ehb8tq', name: 'Ana Núñez', rut: '12531909-2' },
  bankCode: '012',
  account: { masked: '•••••1909' },
  verdict: 'plausible',
  verdictDays: 3,
  warnings: [{ code: 'SAME_AMOUNT', text: 'Same RUT and amount as po_… of 2026-01-10 (confirmed).' }],
  approvedBy: null,
  file: null,
  line: null,
  reason: null,
  contradiction: null,
  contradictedBy: null,
  contradictingLines: [],
};

/** Returns one batch with its payouts, the warnings of each payout, and the files that they left in. */
export const getPayoutBatchesId = operation({
  describe: {
    operationId: 'readPayoutBatch',
    summary: 'Read a batch of payouts',
    description:
      'Returns a batch with its payouts, the warnings about each, and the bank files in which they left. Send `next` as `after` for the next payouts.',
    tag: 'Payouts',
    parameters: [...BATCH_ID, CURSOR_PARAMETER, limitParameter(MOST_SHOWN)],
    replies: {
      200: {
        description: 'The batch',
        schema: replyOf(
          'PayoutBatchRead',
          Type.Object({
            batch: BatchSchema,
            payouts: Type.Array(BatchedPayoutSchema),
            files: Type.Array(PayoutFileSchema),
            next: NEXT,
          }),
        ),
        example: {
          message: 'OK',
          errors: null,
          data: { batch: BATCH_EXAMPLE, payouts: [PAYOUT_EXAMPLE], files: [FILE_EXAMPLE], next: null },
        },
      },
    },
    errors: [...BATCH_ERRORS, 'INVALID_PARAMETER', ...MOVE_ERRORS],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const { after: sent, limit = MOST_SHOWN } = query();
    const after = readIdCursor(sent, 'po');
    const found = await findBatch(app, user.environmentIds, id);
    refuseElsewhere(found.owner);
    // All payouts of a batch have the same `created_at`.
    const place = after === null ? null : { created_at: found.batch.created_at, id: after };
    const page = { after: place, limit: limit + 1 };
    const read = await listPayouts(app, new Set([found.owner.id]), { batchId: id }, page);
    const { page: payouts, next } = pageOf(read, limit, (payout) => payout.id);
    const shown = await showPayouts(app, payouts);
    const files = await listFilesOfBatch(app, found.batch);
    return {
      message: 'OK',
      errors: null,
      data: {
        batch: batchJson(found, found.owner),
        payouts: shown.map(payoutJson),
        files: files.map(fileJson),
        next,
      },
    };
  },
});

function payoutJson({ payout, recipient, verdictDays, warnings }: ShownPayout): Static<typeof BatchedPayoutSchema> {
  const { id, reference, amount, state, bank_code, account_masked, verdict, approved_by } = payout;
  return {
    id,
    reference,
    amount,
    state,
    recipient: recipient === null ? null : { id: recipient.id, name: recipient.name, rut: recipient.rut },
    bankCode: bank_code,
    account: { masked: account_masked },
    verdict,
    verdictDays,
    warnings: warnings.map(({ code, text }) => ({ code, text: text.en })),
    approvedBy: approved_by,
    file: payout.file_id,
    line: payout.file_line,
    reason: payout.reason,
    contradiction: payout.contradiction,
    contradictedBy: contradictingLines(payout)[0] ?? null,
    contradictingLines: contradictingLines(payout),
  };
}
