import { hasOwnRefund } from '../books/journal-queries.ts';
import type { SettlementRow } from '../books/settlement-row.ts';
import { selectAttemptAnywhere, selectLatestAttempt } from '../checkout/payment-attempt-queries.ts';
import type { Reader } from '../db/database.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { selectTransaction, selectTransactionAnywhere } from '../transactions/transaction-queries.ts';
import { type ImportStep, tookBack } from './imported-payment.ts';
import { selectImportedNamed } from './imported-payment-queries.ts';
import { type SuspenseEntry, selectSuspenseAt, selectSuspenseOf, sumWentBack } from './movement-queries.ts';
import { namesOf } from './other-export.ts';

/**
 * The money that a line took back: of an order, or late money that a person has kept, perhaps of no known
 * payment.
 */
export type Charged = Pick<ImportStep, 'lateAmount'> & {
  readonly attemptId: string | null;
  readonly transaction: Transaction | null;
  readonly environmentId: number;
};

/**
 * Finds the money that a chargeback or a refund took back, by its buy order. Only reads. Returns why a person must
 * look, if the books do not have it, or do not have so much of it any more. Reliable under the lock of its payment, and
 * under `lockFunds` for money that pays no order. `environmentIds`: those whose money the file may take back.
 */
export async function planTakenBack(
  db: Reader,
  { method, environmentIds }: { method: string; environmentIds: readonly number[] },
  row: SettlementRow,
): Promise<Charged | string> {
  const buyOrder = row.buyOrder ?? '';
  const found = buyOrder === '' ? null : await findCharged(db, buyOrder);
  if (found !== null && found.attempt.payment_method !== method) return NO_PAYMENT;
  if (found === null) {
    const money = buyOrder === '' ? null : await findUnknown(db, environmentIds, method, buyOrder);
    return money === null ? NO_PAYMENT : planLate(db, row, { method, money, attemptId: null, transaction: null });
  }
  const { attempt, transaction, isExact } = found;
  const suspended = await selectSuspenseOf(db, transaction);
  const late = suspended.filter(({ kind }) => kind === 'late_payment');
  const own = late.find(({ payment_attempt_id }) => payment_attempt_id === attempt.id);
  if (attempt.state !== 'approved' || transaction.state !== 'completed') {
    if (own === undefined) return 'a chargeback of a payment that is not in the books';
    return planLate(db, row, { method, money: own, attemptId: attempt.id, transaction });
  }
  // Of an order that was paid twice, a person refunds either payment, whatever the decision about the other says. A
  // line with the amount of the attempt's excess may be the return of the excess. An excess that was returned with
  // another amount is not part of the payment; one that a person has kept is, and its refund is the merchant's too.
  const isOrderAlone = own === undefined || (own.decision === 'returned' && own.amount !== -row.amount);
  const isPart = own !== undefined && own.decision === 'kept';
  const isOfOne = isExact && (row.chargeback === true ? isOrderAlone || isPart : isPart && late.length === 1);
  if (late.length > 0 && !isOfOne) return 'a chargeback of an order that was paid twice or overpaid';
  const { wentBack } = await sumWentBack(db, transaction);
  if (wentBack - row.amount > transaction.amount + (isPart ? own.amount : 0)) return MORE_THAN_LEFT;
  return { attemptId: attempt.id, transaction, environmentId: transaction.environment_id };
}

/**
 * Finds the payment as a comparison does: by the id of the transaction if its method has no buy orders. `isExact`: the
 * buy order is of one attempt.
 */
async function findCharged(db: Reader, buyOrder: string) {
  const own = await selectAttemptAnywhere(db, buyOrder);
  const paid = own === null ? null : await selectTransaction(db, transactionKeyOf(own));
  if (own !== null && paid !== null) return { attempt: own, transaction: paid, isExact: true };
  if (!/^\d{1,15}$/.test(buyOrder)) return null;
  const transaction = await selectTransactionAnywhere(db, Number(buyOrder));
  const attempt = transaction === null ? null : await selectLatestAttempt(db, transaction);
  if (transaction === null || attempt === null || 'buy_order' in JSON.parse(attempt.detail ?? '{}')) return null;
  return { attempt, transaction, isExact: false };
}

/** Finds the only imported money of no known payment with this buy order. */
async function findUnknown(
  db: Reader,
  environmentIds: readonly number[],
  method: string,
  buyOrder: string,
): Promise<SuspenseEntry | null> {
  const named = await selectImportedNamed(db, environmentIds, method, [buyOrder]);
  const [only, another] = named.filter((one) => one.link !== null && !tookBack(one));
  if (only === undefined || only.link === null || another !== undefined) return null;
  const suspended = await selectSuspenseAt(db, only.environment_id, only.link);
  return suspended.find(({ kind }) => kind === 'late_payment') ?? null;
}

type Late = Pick<Charged, 'attemptId' | 'transaction'> & { method: string; money: SuspenseEntry };

async function planLate(db: Reader, row: SettlementRow, { method, money, ...of }: Late): Promise<Charged | string> {
  if (money.currency !== row.currency) return 'another currency';
  if (money.decision === null) return 'a chargeback of money in suspense: bin/rubrica books resolve';
  if (money.decision === 'returned') return 'a chargeback of money that went back: bin/rubrica reconcile';
  const names = namesOf(row, { attemptId: of.attemptId, transactionId: of.transaction?.id ?? null });
  const { environment_id: environmentId, amount: lateAmount } = money;
  const gone = await sumGone(db, { environmentId, method, names });
  return gone - row.amount > lateAmount ? MORE_THAN_LEFT : { ...of, environmentId, lateAmount };
}

/** Sums what the imported chargebacks of late money took back. Leaves out those that were won. */
async function sumGone(
  db: Reader,
  { environmentId, method, names }: { environmentId: number; method: string; names: readonly string[] },
): Promise<number> {
  const imported = await selectImportedNamed(db, [environmentId], method, names);
  let gone = 0;
  for (const { link } of imported.filter(tookBack)) {
    const [entry] = link === null ? [] : await selectSuspenseAt(db, environmentId, link);
    if (entry !== undefined && entry.decision !== 'returned') gone += entry.amount;
  }
  return gone;
}

/**
 * Returns whether a line that took money back may be a refund of this service: no chargeback, and no refund of late
 * money, which this service never refunds. Reliable under the lock of the payment.
 */
export async function mayBeOwn(
  db: Reader,
  { row, lateAmount }: Pick<ImportStep, 'row' | 'lateAmount'>,
  payment: Transaction | null,
): Promise<boolean> {
  return row.chargeback !== true && lateAmount === undefined && payment !== null && hasOwnRefund(db, payment);
}

const NO_PAYMENT = 'a chargeback of no payment of ours';
export const REFUNDED = 'money that was refunded: bin/rubrica reconcile';
const MORE_THAN_LEFT = 'a chargeback of more than is left of the payment: bin/rubrica reconcile';
