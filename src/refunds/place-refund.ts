import type { App } from '../app.ts';
import { selectBalance } from '../books/balance-queries.ts';
import { FEES_INCOME } from '../books/journal-entry.ts';
import type { Reader, Tx } from '../db/database.ts';
import { addUp, type Sum, subtract } from '../lib/exact-sum.ts';
import { prefixedId } from '../lib/ids.ts';
import { lockFunds, readFunds } from '../payment-services/lock-funds.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { advanceSequence } from '../transactions/transaction-queries.ts';
import { announceRefund } from './announce-refund.ts';
import type { Refund, RefundType } from './refund.ts';
import { insertRefund, sumFeesWithin, sumGone } from './refund-queries.ts';
import { balanceRefusal, feeWithin, type RefundRefusal, refusalOf } from './refund-refusal.ts';

/** The amount of a payment to refund, in minor units of its currency; `amount` null: all that is left. */
export type RefundPart = { readonly amount: number | null; readonly type: RefundType };

/** A refund to make. `requestedBy` names the requester as records do. */
export type Placing = {
  readonly environment: ServiceEnvironment;
  /** The transaction, locked. */
  readonly transaction: Transaction;
  readonly part: RefundPart;
  readonly requestedBy: string;
  readonly idempotencyKey: string | null;
  readonly now: number;
};

export type PlacedRefund = { kind: 'accepted'; refund: Refund } | { kind: 'refused'; refusal: RefundRefusal };

/**
 * Makes a refund with its event in the commit of `tx`, or returns why not. The refund reserves its amount. `allow` gets
 * the amount, in minor units, before anything is written, and throws if the person may not refund it. Called under the
 * lock of the transaction.
 */
export async function placeRefund(
  app: App,
  tx: Tx,
  { environment, transaction, part, requestedBy, idempotencyKey, now }: Placing,
  allow: (amount: number) => Promise<unknown>,
): Promise<PlacedRefund> {
  const { amount, reserved, refusal } = await checkRefundPart(app, tx, transaction, part, now);
  if (refusal !== null) return { kind: 'refused', refusal };
  const { refundable } = await lockFunds(tx, transaction.environment_id, transaction.currency);
  if (!(await isCovered(tx, transaction, { reserved, amount, refundable }))) {
    return { kind: 'refused', refusal: balanceRefusal() };
  }
  await allow(amount);
  const advanced = await advanceSequence(tx, transaction);
  const row = { amount, type: part.type, requestedBy, idempotencyKey };
  const refund = await insertRefund(tx, newRow(advanced, row, now));
  await announceRefund(tx, environment, advanced, refund);
  return { kind: 'accepted', refund };
}

/**
 * Returns why the refund would be refused now; null: it would be made. It locks nothing, so `placeRefund` checks again.
 */
export async function findRefusal(app: App, transaction: Transaction, part: RefundPart): Promise<RefundRefusal | null> {
  const { amount, reserved, refusal } = await checkRefundPart(app, app.db, transaction, part, app.now());
  if (refusal !== null) return refusal;
  const { refundable } = await readFunds(app.db, transaction.environment_id, transaction.currency);
  return (await isCovered(app.db, transaction, { reserved, amount, refundable })) ? null : balanceRefusal();
}

/**
 * Checks a refund against every rule except the merchant's money. Returns its amount, the amount that the payment's
 * refunds have reserved (both in minor units), and the refusal, or null. Called under the lock of the transaction if a
 * refund follows.
 */
export async function checkRefundPart(
  app: App,
  db: Reader,
  transaction: Transaction,
  { amount: wished, type }: RefundPart,
  now: number,
): Promise<{ amount: number; reserved: number; refusal: RefundRefusal | null }> {
  const method = app.paymentMethods.find(({ code }) => code === transaction.payment_method);
  const { refunds, gone } = await sumGone(db, transaction);
  const amount = wished ?? transaction.amount - gone;
  return {
    amount,
    reserved: refunds,
    refusal: refusalOf(transaction, method?.refunds, gone, { amount, type }, now),
  };
}

/**
 * Returns whether the merchant's money, `refundable`, covers one more refund. The merchant may end up owing the service
 * the fees of refunded payments and the allowed overdraft, and nothing more.
 */
async function isCovered(
  db: Reader,
  transaction: Transaction,
  { reserved, amount, refundable }: { reserved: number; amount: number; refundable: Sum },
): Promise<boolean> {
  const { environment_id, currency } = transaction;
  const more = feeWithin(transaction, reserved + amount) - feeWithin(transaction, reserved);
  const covered = addUp([refundable, more]);
  if (amount <= covered) return true;
  // The sum of the fees in refunds reads every refund of the store, and is never above the fees that were earned.
  const account = { environmentId: environment_id, account: FEES_INCOME, currency };
  if (amount > subtract(covered, await selectBalance(db, account))) return false;
  return amount <= addUp([covered, await sumFeesWithin(db, environment_id, currency)]);
}

function newRow(
  { id, environment_id, last_sequence }: Transaction,
  wish: { amount: number; type: RefundType; requestedBy: string; idempotencyKey: string | null },
  now: number,
) {
  return {
    // A published PHP client compares the id with the number 36 and stops if it is greater; a text that begins with `0`
    // never is.
    id: prefixedId('0rf'),
    environment_id,
    transaction_id: id,
    sequence: last_sequence,
    amount: wish.amount,
    created_at: now,
    next_lookup_at: now,
    lookups: 0,
    state: 'processing',
    type: wish.type,
    requested_by: wish.requestedBy,
    idempotency_key: wish.idempotencyKey,
  };
}
