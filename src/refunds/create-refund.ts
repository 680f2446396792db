import type { App } from '../app.ts';
import { type Actor, accountOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { countRefund } from '../auth/count-refund.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { addUp } from '../lib/exact-sum.ts';
import { QueueFullError } from '../lib/fair-queue.ts';
import { prefixedId } from '../lib/ids.ts';
import { createOwnerTurns } from '../lib/owner-turns.ts';
import { perInstance } from '../lib/per-instance.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import type { Transaction, TransactionKey } from '../transactions/transaction.ts';
import { advanceSequence, lockTransaction } from '../transactions/transaction-queries.ts';
import { announceRefund } from './announce-refund.ts';
import type { Refund, RefundType } from './refund.ts';
import { insertRefund, selectRefundByKey, selectSameRefund, sumFeesWithin, sumGone } from './refund-queries.ts';
import { balanceRefusal, feeWithin, type RefundRefusal, refusalOf } from './refund-refusal.ts';

/** The refund that a merchant asks for. */
export type RefundWish = {
  /** In minor units of the transaction's currency; null: all that is left. */
  amount: number | null;
  type: RefundType;
  /** The same key again is the same wish; null: so is the same wish of the same person within a minute. */
  idempotencyKey: string | null;
  by: Actor;
  /** Why, as a person said it; it names nobody. */
  reason?: string;
};

/** `replayed`: it is the wish of before, with its refund. `reused`: the key belongs to a wish for something else. */
export type RefundCreation =
  | { kind: 'accepted' | 'replayed' | 'reused'; refund: Refund }
  | { kind: 'refused'; refusal: RefundRefusal };

/**
 * Accepts a refund, or says why not. Its amount is reserved from then on: whatever comes together, no more is ever refunded
 * than was paid, nor than is left of the merchant's money. In one commit with its event; resolves when that commit is
 * durable.
 *
 * The payment method is asked afterwards, by the worker (`carry-out-refunds.ts`), so that there is one path only by which
 * money goes back. Rejects with `StorageError`, and with `Problem`
 * `REFUND_LIMIT_REACHED` where the user may refund no more today, `OVERLOADED` where a thousand of the merchant wait already.
 */
export async function createRefund(app: App, paid: Transaction, wish: RefundWish): Promise<RefundCreation> {
  return turns(app)(paid.environment_id, () => acceptRefund(app, paid, wish)).catch((error: unknown) => {
    throw error instanceof QueueFullError ? new Problem('OVERLOADED') : error;
  });
}

// Refunds of a merchant lock the same money, so that they gain nothing by coming together; waiting in the database they would hold
// its connections, and on SQLite its one writer, from the payments and acts of all others.
const turns = perInstance((_app: App) => createOwnerTurns<number>(MOST_WAITING));

const MOST_WAITING = 1000;

async function acceptRefund(app: App, paid: Transaction, wish: RefundWish): Promise<RefundCreation> {
  const environment = await environmentOf(app, paid);
  const now = app.now();
  return app.db.transaction<RefundCreation>(async (tx) => {
    const transaction = await lockTransaction(tx, paid);
    if (transaction === null) throw new Error('A transaction is gone');
    const earlier = await findEarlier(tx, paid, wish, now);
    if (earlier !== null) return earlier;
    const method = app.paymentMethods.find(({ code }) => code === transaction.payment_method);
    const { refunds, gone } = await sumGone(tx, paid);
    const amount = wish.amount ?? transaction.amount - gone;
    const refusal = refusalOf(transaction, method?.refunds, gone, { amount, type: wish.type }, now);
    if (refusal !== null) return { kind: 'refused', refusal };
    if (!(await isCovered(tx, transaction, refunds, amount))) {
      return { kind: 'refused', refusal: balanceRefusal() };
    }
    await countRefund(tx, { userId: wish.by.userId, amount, currency: transaction.currency }, now);
    const advanced = await advanceSequence(tx, paid);
    const refund = await insertRefund(tx, newRow(advanced, { ...wish, amount }, now));
    await announceRefund(tx, environment, advanced, refund);
    await recordAudit(tx, {
      at: now,
      by: wish.by,
      action: 'refund.requested',
      subject: { kind: 'refund', id: refund.id },
      after: { transaction: paid.id, amount, currency: transaction.currency, type: wish.type },
      reason: wish.reason ?? null,
    });
    return { kind: 'accepted', refund };
  });
}

/** A click that was made twice and a request that a client repeats by itself are one wish; two wishes have two keys. */
const SAME_WISH_MS = 60_000;

/** Called under the lock of the transaction, so when two come together the second finds the first. */
async function findEarlier(
  tx: Tx,
  transaction: TransactionKey,
  wish: RefundWish,
  now: number,
): Promise<RefundCreation | null> {
  if (wish.idempotencyKey === null) {
    const since = now - SAME_WISH_MS;
    const same = await selectSameRefund(tx, transaction, { ...wish, requestedBy: accountOf(wish.by.name), since });
    return same === null ? null : { kind: 'replayed', refund: same };
  }
  const refund = await selectRefundByKey(tx, transaction, wish.idempotencyKey);
  if (refund === null) return null;
  const same = (wish.amount === null || wish.amount === refund.amount) && refund.type === wish.type;
  return { kind: same ? 'replayed' : 'reused', refund };
}

/**
 * Whether the merchant's money covers one more refund; until the commit nobody else takes any of it. He may owe the
 * service the fees of payments that have gone back and what he may overdraw, and nothing more.
 */
async function isCovered(tx: Tx, transaction: Transaction, reserved: number, amount: number): Promise<boolean> {
  const { environment_id, currency } = transaction;
  const { refundable } = await lockFunds(tx, environment_id, currency);
  // Most need no more, and the fees are read from every refund there was.
  if (amount <= refundable) return true;
  const owed = await sumFeesWithin(tx, environment_id, currency);
  const more = feeWithin(transaction, reserved + amount) - feeWithin(transaction, reserved);
  return amount <= addUp([refundable, owed, more]);
}

function newRow(
  { id, environment_id, last_sequence }: Transaction,
  wish: RefundWish & { amount: number },
  now: number,
) {
  return {
    // A published client of PHP compares this with the number 36 and stops where it is more; as a text `0…` never is.
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
    requested_by: wish.by.name,
    idempotency_key: wish.idempotencyKey,
  };
}
