import type { App } from '../../app.ts';
import { availableBalance } from '../../books/available-balance.ts';
import { reconcileEntries } from '../../books/reconcile-entries.ts';
import { invalidParameter, Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { boundsOfDay, dayOf } from '../../lib/calendar-day.ts';
import type { Sum } from '../../lib/exact-sum.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { describeRemittances } from './describe-remittances.ts';
import { REMITTANCE_ITEM_EXAMPLE, RemittanceItemSchema } from './remittance-schemas.ts';
import {
  type RemittanceScope,
  readRemittanceDay,
  readScope,
  SCOPE_ERRORS,
  SCOPE_PARAMETERS,
} from './remittance-scope.ts';

const INDICATORS = ['availableBalance', 'remittanceByDate', 'futureRemittances'] as const;

/**
 * Returns what is owed to a merchant: the current balance, the remittance of a day, and the amount still to be paid
 * out.
 */
export const getIndicatorsRemittances = operation({
  anyQuery: true,
  describe: {
    operationId: 'readRemittanceIndicators',
    summary: 'Read the amounts owed to a merchant',
    description:
      'Returns only the indicators that you name. Money that is owed and not paid out is still to come (`futureRemittances`).',
    tag: 'Reconciliation',
    parameters: [
      {
        name: 'availableBalance',
        in: 'query',
        description: 'true: payments minus fees, refunds and payouts',
        schema: Type.String({ examples: ['true'] }),
      },
      {
        name: 'remittanceByDate',
        in: 'query',
        description: 'true for today, or a day of Chile, YYYY-MM-DD',
        schema: Type.String(),
      },
      {
        name: 'futureRemittances',
        in: 'query',
        description: 'true: the amount still to be paid out',
        schema: Type.String(),
      },
      { name: 'idTrx', in: 'query', description: 'Only for this transaction', schema: Type.String() },
      {
        name: 'idUser',
        in: 'query',
        description: 'User of the report, by id or e-mail address (operators only)',
        schema: Type.String(),
      },
      ...SCOPE_PARAMETERS,
    ],
    replies: { 200: { description: 'The indicators', schema: replySchema(), example: replyExample() } },
    errors: SCOPE_ERRORS,
  },
  handle: async (app, request, _reply, readQuery) => {
    const asking = await requireUser(app, request);
    const query = readQuery();
    const scope = await readScope(app, asking, { ...query, whose: query.idUser });
    const transaction = await readTransaction(app, query.idTrx, scope);
    const [balance, day, future] = INDICATORS.map((name) => isWanted(query[name]));
    if (!balance && !day && !future) {
      throw invalidParameter(`Ask for one of ${INDICATORS.join(', ')}.`, `Pide uno de ${INDICATORS.join(', ')}.`);
    }
    // A transaction has one environment, so every indicator of it is of that one.
    const environmentIds = transaction === null ? scope.environmentIds : [transaction.environment_id];
    const subject = { ...scope, environmentIds, transactionId: transaction?.id ?? 0 };
    const available = balance || future ? await availableBalance(app, subject, scope.currency) : 0;
    const data = {
      ...(balance && { availableBalance: toDecimalNumber(available, scope.currency) }),
      ...(day && { remittanceByDate: await readRemittance(app, subject, query.remittanceByDate) }),
      ...(future && { futureRemittances: describeFuture(available, scope.currency) }),
    };
    return { message: 'OK', errors: null, data };
  },
});

type Subject = RemittanceScope & { transactionId: number };

function isWanted(value: string | undefined): boolean {
  return value !== undefined && value !== 'false' && value !== '0';
}

async function readTransaction(
  app: App,
  id: string | undefined,
  { user }: RemittanceScope,
): Promise<Transaction | null> {
  if (id === undefined) return null;
  const transaction = await findTransaction(app, id, user.environmentIds);
  if (transaction === null) throw new Problem('NO_PERMISSION');
  return transaction;
}

async function readRemittance(app: App, subject: Subject, value = '') {
  const day = value === 'true' || value === '1' || value === '' ? dayOf(app.now()) : readRemittanceDay(value);
  if (day === null) {
    throw invalidParameter(
      'remittanceByDate is true or a day such as 2026-01-15.',
      'remittanceByDate es true o un día como 2026-01-15.',
    );
  }
  const { lines } = await reconcileEntries(app, { ...subject, ...boundsOfDay(day) });
  const { totalRemittances: total, items } = describeRemittances(lines, subject.currency);
  return { total, trxs: items };
}

/** Returns a single remittance with everything that is owed: the amount is not divided before the payout. */
function describeFuture(available: Sum, currency: string) {
  const total = toDecimalNumber(available, currency);
  return { total, remittances: available > 0 ? [{ status: 'processing' as const, total }] : [] };
}

function replySchema() {
  const remittance = Type.Object({ status: Type.String({ enum: ['processing'] }), total: Type.Number() });
  const data = Type.Object({
    availableBalance: Type.Optional(Type.Number()),
    remittanceByDate: Type.Optional(Type.Object({ total: Type.Number(), trxs: Type.Array(RemittanceItemSchema) })),
    futureRemittances: Type.Optional(Type.Object({ total: Type.Number(), remittances: Type.Array(remittance) })),
  });
  return replyOf('RemittanceIndicators', data);
}

function replyExample() {
  const data = {
    availableBalance: 9617,
    remittanceByDate: { total: 9617, trxs: [REMITTANCE_ITEM_EXAMPLE] },
    futureRemittances: { total: 9617, remittances: [{ status: 'processing', total: 9617 }] },
  };
  return { message: 'OK', errors: null, data };
}
