import type { App } from '../app.ts';
import { type Actor, accountOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { countRefund } from '../auth/count-refund.ts';
import type { Tx } from '../db/database.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import type { Transaction, TransactionKey } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { placeRefund } from './place-refund.ts';
import type { Refund, RefundType } from './refund.ts';
import { selectRefundByKey, selectSameRefund } from './refund-queries.ts';
import type { RefundRefusal } from './refund-refusal.ts';
import { inRefundTurn } from './refund-turns.ts';

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
export function createRefund(app: App, paid: Transaction, wish: RefundWish): Promise<RefundCreation> {
  return inRefundTurn(app, paid.environment_id, () => acceptRefund(app, paid, wish));
}

async function acceptRefund(app: App, paid: Transaction, wish: RefundWish): Promise<RefundCreation> {
  const environment = await environmentHere(app, paid);
  const now = app.now();
  return app.db.transaction<RefundCreation>(async (tx) => {
    const transaction = await lockTransaction(tx, paid);
    if (transaction === null) throw new Error('A transaction is gone');
    const earlier = await findEarlier(tx, paid, wish, now);
    if (earlier !== null) return earlier;
    const { currency } = transaction;
    const { by, type, idempotencyKey } = wish;
    const placing = { environment, transaction, part: wish, requestedBy: by.name, idempotencyKey, now };
    const placed = await placeRefund(app, tx, placing, (amount) =>
      countRefund(tx, { userId: by.userId, amount, currency }, now),
    );
    if (placed.kind === 'refused') return placed;
    const { id, amount } = placed.refund;
    await recordAudit(tx, {
      at: now,
      by,
      action: 'refund.requested',
      subject: { kind: 'refund', id },
      after: { transaction: paid.id, amount, currency, type },
      reason: wish.reason ?? null,
    });
    return placed;
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
