import { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import { invalidBody } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { findAccountOwner } from '../../statements/find-statement.ts';
import { importStatement } from '../../statements/import-statement.ts';
import {
  IMPORTED_EXAMPLE,
  ImportedSchema,
  importedJson,
  isText,
  MOST_SENT_BYTES,
  readSentFile,
  SENT_FILE_ERRORS,
  SentFileMembers,
  wrong,
} from './statement-schemas.ts';

const RequestSchema = Type.Object(
  {
    account: Type.String({ pattern: '^[0-9]{4,20}$', description: 'Account number, 4 to 20 digits' }),
    ...SentFileMembers,
    environment: Type.Optional(
      Type.String({ enum: ['development', 'production'], description: 'Default: the environment of RUBRICA_ENV' }),
    ),
    paymentServiceId: Type.Optional(
      Type.String({
        description:
          'Payment service that owns the account. Default: the only one that the user sees; for a user of all payment services, the account is of all',
      }),
    ),
  },
  { $id: 'StatementRequest', additionalProperties: false },
);

/** Imports a bank statement. */
export const postBankStatements = operation({
  consumes: ['application/json'],
  bodyLimit: MOST_SENT_BYTES,
  describe: {
    operationId: 'importStatement',
    summary: 'Import a statement of the bank',
    description:
      'Imports a CSV, .xlsx or .xls as the bank exports it. First the balances or totals of the file are checked. Each new line has one use: it confirms a payout or a file of payouts, reports that a payout came back, matches a recorded deposit, or waits in suspense. Lines of an overlapping file are not imported twice, and the same file again changes nothing.',
    tag: 'Bank files',
    body: RequestSchema,
    bodyExample: {
      account: '123456789',
      fileName: 'cartola-enero.csv',
      content: Buffer.from('Fecha;Descripción;Cargos;Abonos\n15/01/2026;TEF;15000;').toString('base64'),
    },
    replies: {
      201: {
        description: 'Imported, now or earlier',
        schema: replyOf('StatementImported', ImportedSchema),
        example: { message: 'The statement was imported.', errors: null, data: IMPORTED_EXAMPLE },
        headers: { 'Idempotency-Hit': 'true if no line was new' },
      },
    },
    errors: [...SENT_FILE_ERRORS, 'INVALID_STATEMENT', 'PAYMENT_SERVICE_AMBIGUOUS'],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const { members, evidence, content } = readSentFile(request, ['account', 'environment', 'paymentServiceId']);
    const { account, environment, paymentServiceId } = readAccountOf(app, members);
    const owner = await findAccountOwner(app, user.environmentIds, { environment, paymentServiceId });
    const { readStatement } = await import('../../statements/read-statement.ts');
    const statement = await readInTurn(app, user, () => readStatement(Readable.from([content])));
    const by = actorOf(request, user);
    const wish = { environment, paymentServiceId: owner, account, evidence, by };
    const imported = await importStatement(app, wish, statement);
    if (imported.known === imported.lines) reply.header('idempotency-hit', 'true');
    reply.code(201);
    return { message: 'The statement was imported.', errors: null, data: importedJson(imported, statement.proof) };
  },
});

function readAccountOf(app: App, { account, environment = app.config.mode, paymentServiceId = null }: Members) {
  const [first, ...others] = [
    ...(typeof account === 'string' && /^\d{4,20}$/.test(account)
      ? []
      : [wrong('account', 'Send 4 to 20 digits.', 'Envía de 4 a 20 dígitos.')]),
    ...(environment === 'development' || environment === 'production'
      ? []
      : [wrong('environment', 'Send development or production.', 'Envía development o production.')]),
    ...(paymentServiceId === null || isText(paymentServiceId, 100)
      ? []
      : [wrong('paymentServiceId', 'Send the id of a payment service.', 'Envía el id de un servicio de pago.')]),
  ];
  if (first !== undefined) throw invalidBody([first, ...others]);
  return {
    account: account as string,
    environment: environment as Environment,
    paymentServiceId: paymentServiceId as string | null,
  };
}

type Members = Readonly<Record<string, unknown>>;
