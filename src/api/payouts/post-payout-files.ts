import type { App } from '../../app.ts';
import { proveWhereEnrolled } from '../../auth/factors/prove-factor.ts';
import type { User } from '../../auth/user.ts';
import { notFound, Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { MEMBER_ERRORS, readMembers } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { listFilesOfBatch } from '../../payouts/files/find-payout-file.ts';
import type { ListedPayoutFile } from '../../payouts/files/payout-file-queries.ts';
import { findBatch, type ListedBatch } from '../../payouts/find-payout.ts';
import { findPayoutOwner, type NamedOwner } from '../../payouts/find-payout-owner.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';
import { BATCH_ERRORS } from './batch-schemas.ts';
import { FILE_EXAMPLE, fileJson, PayoutFileSchema } from './get-payout-files.ts';

const RequestSchema = Type.Object(
  {
    format: Type.String({ description: 'Code of the bank format; see docs/payouts.md' }),
    account: Type.String({ description: 'Account to debit' }),
    rut: Type.Optional(Type.String({ description: 'RUT of the account holder, if the bank requires it' })),
    name: Type.Optional(Type.String({ description: 'Name of the account holder, if the bank requires it' })),
    agreement: Type.Optional(
      Type.String({ description: 'Number of the contract with the bank, if the bank requires it' }),
    ),
    batchId: Type.Optional(Type.String({ description: 'Only this batch. Default: all approved payouts' })),
    paymentServiceId: Type.Optional(
      Type.String({
        description: 'Payment service that pays. Default: the one of the batch, or the only one that the user sees',
      }),
    ),
    environment: Type.Optional(
      Type.String({ enum: ['development', 'production'], description: 'Default: the environment of RUBRICA_ENV' }),
    ),
    code: Type.Optional(
      Type.String({ description: 'Code of your app, or a recovery code; required if you have a second factor' }),
    ),
  },
  { $id: 'PayoutFileRequest', additionalProperties: false },
);

/** Writes approved payouts into files for a bank. */
export const postPayoutFiles = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'makePayoutFiles',
    summary: 'Write approved payouts into files for a bank',
    description:
      'Writes approved payouts into as many files as the line limit of the bank requires. Each payout is in one file only and becomes `sent`. The same request again writes only payouts approved since. Without new payouts it is refused with INVALID_PAYOUT; with `batchId` it returns the files of the batch instead. The files are stored: `GET /payout-files` lists them.',
    tag: 'Bank files',
    body: RequestSchema,
    bodyExample: { format: 'santander', account: '123456789' },
    replies: {
      201: {
        description: 'The files without their content, made now or by an earlier request for the batch',
        schema: replyOf('PayoutFilesMade', Type.Object({ files: Type.Array(PayoutFileSchema) })),
        example: { message: 'The files are made.', errors: null, data: { files: [FILE_EXAMPLE] } },
        headers: { 'Idempotency-Hit': 'true if the files of the batch were made before' },
      },
    },
    errors: [
      ...BATCH_ERRORS,
      ...MOVE_ERRORS,
      'INVALID_JSON',
      ...MEMBER_ERRORS,
      'INVALID_PAYOUT',
      'HELD_AFTER_RESTORE',
      'PAYMENT_SERVICE_AMBIGUOUS',
      'PERSON_NEEDED',
      'SECOND_FACTOR_NEEDED',
      'FACTOR_REFUSED',
      'RATE_LIMITED',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const { format, account, rut, name, agreement, code, ...named } = readMembers(request, RequestSchema);
    const batch = named.batchId === null ? null : await findBatch(app, user.environmentIds, named.batchId);
    const owner = await ownerOf(app, user, batch?.owner ?? null, named);
    const earlier = batch === null ? [] : await filesMadeOf(app, batch, format);
    reply.code(201);
    const replayed = (files: readonly ListedPayoutFile[]) => {
      reply.header('idempotency-hit', 'true');
      return filesReply(files);
    };
    if (earlier.length > 0) return replayed(earlier);
    await proveWhereEnrolled(app, { user, address: request.ip }, code);
    const payer = { account, rut: rut ?? '', name: name ?? '', agreement: agreement ?? '' };
    const by = actorOf(request, user);
    const { makePayoutFiles } = await import('../../payouts/files/make-payout-files.ts');
    try {
      const made = await makePayoutFiles(app, { owner, by, format, payer, batchId: named.batchId });
      return filesReply(made.map(({ file }) => file));
    } catch (error) {
      if (batch === null || !(error instanceof Problem) || error.code !== 'INVALID_PAYOUT') throw error;
      // The same request may have made the files at the same time.
      const found = await findBatch(app, user.environmentIds, batch.batch.id);
      const files = await filesMadeOf(app, found, format);
      if (files.length === 0) throw error;
      return replayed(files);
    }
  },
});

/**
 * Returns the environment that the request names, or the owner of the batch. Throws `Problem` NOT_FOUND when the batch
 * belongs to another environment.
 */
async function ownerOf(app: App, user: User, ofBatch: ServiceEnvironment | null, named: NamedOwner) {
  const isNamed = named.paymentServiceId !== null || named.environment !== null;
  if (ofBatch !== null && !isNamed) return ofBatch;
  const owner = await findPayoutOwner(app, user, named);
  if (ofBatch === null || ofBatch.id === owner.id) return owner;
  throw notFound('This payment service has no such batch.', 'Este servicio de pago no tiene ese lote.');
}

/** Returns the files of a batch in a format once all its approved payouts are in files; before that, an empty list. */
async function filesMadeOf(app: App, { batch, sums }: ListedBatch, format: string): Promise<ListedPayoutFile[]> {
  if (sums.some(({ state }) => state === 'approved')) return [];
  return (await listFilesOfBatch(app, batch)).filter((file) => file.format === format);
}

function filesReply(files: readonly ListedPayoutFile[]) {
  return { message: 'The files are made.', errors: null, data: { files: files.map(fileJson) } };
}
