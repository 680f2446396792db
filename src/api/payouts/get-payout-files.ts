import { pageOf } from '../../db/newest-page.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter, NEXT, placeCursor, readPlaceCursor } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { findPayoutFile, newestPayoutFiles } from '../../payouts/files/find-payout-file.ts';
import type { ListedPayoutFile } from '../../payouts/files/payout-file-queries.ts';
import { openContent } from '../../payouts/files/seal-payout-file.ts';
import { PAYOUT_STATES, type Payout, type PayoutState } from '../../payouts/payout.ts';
import { selectPayoutsOfFile } from '../../payouts/payout-queries.ts';
import { TEF_ERRORS } from './post-tef.ts';

const MOST = 100;

export const StateSchema = Type.String({ enum: Object.keys(PAYOUT_STATES) as PayoutState[] });

export const PayoutFileSchema = Type.Object(
  {
    id: Type.String(),
    format: Type.String({ description: 'Code of the bank format; see docs/payouts.md' }),
    name: Type.String(),
    createdAt: Type.String(),
    madeBy: Type.String(),
    payouts: Type.Integer(),
    total: Type.Integer({ description: 'Whole pesos' }),
    sha256: Type.String(),
  },
  { $id: 'PayoutFile' },
);

export const FILE_EXAMPLE = {
  id: 'pf_4m0c7r2n9k5xw3ehb8tq',
  format: 'santander',
  name: 'santander-2026-01-15-3ehb8t.xlsx',
  createdAt: '2026-01-15T12:00:00.000Z',
  madeBy: 'finanzas@example.cl',
  payouts: 2,
  total: 24_000,
  sha256: 'ab'.repeat(32),
};

const FilePayoutSchema = Type.Object({
  id: Type.String(),
  reference: Type.String(),
  line: Type.Nullable(Type.Integer()),
  amount: Type.Integer({ description: 'Whole pesos' }),
  state: StateSchema,
  reason: Type.Nullable(Type.String()),
  contradiction: Type.Nullable(Type.String(), {
    description: 'Reported result that contradicts the state of the payout',
  }),
});

const FILE_ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the file',
  schema: Type.String(),
} as const;

/** Lists the files that were made for banks. */
export const getPayoutFiles = operation({
  describe: {
    operationId: 'listPayoutFiles',
    summary: 'List the files of payouts',
    description:
      'Returns the files made for banks, newest first, without their content. Send `next` as `after` for older files.',
    tag: 'Bank files',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST)],
    replies: {
      200: {
        description: 'A page of files, newest first',
        schema: replyOf('PayoutFileList', Type.Object({ files: Type.Array(PayoutFileSchema), next: NEXT })),
        example: { message: 'OK', errors: null, data: { files: [FILE_EXAMPLE], next: null } },
      },
    },
    errors: [...TEF_ERRORS, 'INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { after: sent, limit = MOST } = query();
    const after = readPlaceCursor(sent);
    const read = await newestPayoutFiles(app, user.environmentIds, '', { after, limit: limit + 1 });
    const { page, next } = pageOf(read, limit, placeCursor);
    return { message: 'OK', errors: null, data: { files: page.map(fileJson), next } };
  },
});

export const getPayoutFilesId = operation({
  describe: {
    operationId: 'readPayoutFile',
    summary: 'Read a file of payouts',
    description: 'Returns a file with its payouts in the order of its lines, and the state of each.',
    tag: 'Bank files',
    parameters: [FILE_ID],
    replies: {
      200: {
        description: 'The file',
        schema: replyOf(
          'PayoutFileRead',
          Type.Object({ file: PayoutFileSchema, payouts: Type.Array(FilePayoutSchema) }),
        ),
        example: {
          message: 'OK',
          errors: null,
          data: {
            file: FILE_EXAMPLE,
            payouts: [
              {
                id: 'po_4m0c7r2n9k5xw3ehb8tq',
                reference: 'factura-12',
                line: 1,
                amount: 15_000,
                state: 'confirmed',
                reason: null,
                contradiction: null,
              },
            ],
          },
        },
      },
    },
    errors: [...TEF_ERRORS, 'NOT_FOUND'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const file = await findPayoutFile(app, user.environmentIds, id);
    const payouts = await selectPayoutsOfFile(app.db, file.environment_id, file.id);
    return { message: 'OK', errors: null, data: { file: fileJson(file), payouts: payouts.map(payoutJson) } };
  },
});

/** Returns the bytes of one file. They are the same each time. */
export const getPayoutFilesContent = operation({
  describe: {
    operationId: 'downloadPayoutFile',
    summary: 'Download a file of payouts',
    description:
      'Returns the bytes of a file exactly as it was made for the bank. The file contains RUTs, names and account numbers: protect it like them.',
    tag: 'Bank files',
    parameters: [FILE_ID],
    replies: {
      200: {
        description: 'The file with its content',
        schema: replyOf(
          'PayoutFileContent',
          Type.Object({
            file: PayoutFileSchema,
            content: Type.String({ contentEncoding: 'base64', description: 'Content of the file, in base64' }),
          }),
        ),
        example: {
          message: 'OK',
          errors: null,
          data: { file: FILE_EXAMPLE, content: Buffer.from('the bytes').toString('base64') },
        },
      },
    },
    errors: [...TEF_ERRORS, 'NOT_FOUND', 'CHANGED_IN_STORE'],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const file = await findPayoutFile(app, user.environmentIds, id);
    reply.header('cache-control', 'no-store');
    return {
      message: 'OK',
      errors: null,
      data: { file: fileJson(file), content: openContent(app, file).toString('base64') },
    };
  },
});

/** Returns a file of payouts as JSON. */
export function fileJson(file: ListedPayoutFile): Static<typeof PayoutFileSchema> {
  const { id, format, name, created_at, made_by, payouts, total, sha256 } = file;
  return { id, format, name, createdAt: new Date(created_at).toISOString(), madeBy: made_by, payouts, total, sha256 };
}

function payoutJson(payout: Payout): Static<typeof FilePayoutSchema> {
  const { id, reference, file_line, amount, state, reason, contradiction } = payout;
  return { id, reference, line: file_line, amount, state, reason, contradiction };
}
