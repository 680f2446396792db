import type { App } from '../app.ts';
import { type Actor, accountOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { countRefund, type RefundDay } from '../auth/count-refund.ts';
import type { Tx } from '../db/database.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import type { Transaction, TransactionKey } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { unseenEqualRefund } from './find-refund.ts';
import { placeRefund } from './place-refund.ts';
import type { Refund, RefundType } from './refund.ts';
import { selectRefundByKey, selectSameRefund } from './refund-queries.ts';
import type { RefundRefusal } from './refund-refusal.ts';
import { inRefundTurn } from './refund-turns.ts';

/** A merchant's request for a refund. */
export type RefundWish = {
  /** In minor units of the transaction's currency; null: all that is left. */
  amount: number | null;
  type: RefundType;
  /**
   * A repeated key is the same request. null: a repeated request of the same person within a minute is the same
   * request.
   */
  idempotencyKey: string | null;
  by: Actor;
  /** A person's reason; it names nobody. */
  reason?: string;
  /** The last equal refund that the person saw, see `unseenEqualRefund`. Needs an amount. */
  equalSeen?: string | undefined;
};

/**
 * `replayed`: the request is a repetition; `refund` is the first one. `reused`: the key belongs to a different request.
 * `equal_made`: somebody made `refund`, an equal one, while the person was asked.
 */
export type RefundCreation =
  | { kind: 'accepted' | 'replayed' | 'reused'; refund: Refund }
  | { kind: 'equal_made'; refund: Refund }
  | { kind: 'refused'; refusal: RefundRefusal };

/**
 * Accepts a refund, or returns why not. An accepted refund reserves its amount, so that concurrent refunds never exceed
 * the payment or the merchant's money. Writes its event in the same commit; resolves when that commit is durable.
 *
 * The worker asks the payment method afterwards (`carry-out-refunds.ts`), so that money goes back by one path only.
 * Rejects with `StorageError`, and with `Problem` `REFUND_LIMIT_REACHED` if the user may refund no more today,
 * `TOKEN_INVALID` if the user was disabled meanwhile, `OVERLOADED` if a thousand refunds of the environment wait
 * already.
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
    const equal = wish.amount === null ? undefined : await unseenEqualRefund(tx, paid, wish.amount, wish.equalSeen);
    if (equal !== undefined) return { kind: 'equal_made', refund: equal };
    const { currency } = transaction;
    const { by, type, idempotencyKey } = wish;
    const placing = { environment, transaction, part: wish, requestedBy: by.name, idempotencyKey, now };
    // In the audit log, so that a verification of the books finds a sum that somebody reset.
    let counted: RefundDay | null = null;
    const placed = await placeRefund(app, tx, placing, async (amount) => {
      counted = await countRefund(tx, { userId: by.userId, amount, currency }, now);
    });
    if (placed.kind === 'refused') return placed;
    const { id, amount } = placed.refund;
    await recordAudit(tx, {
      at: now,
      by,
      action: 'refund.requested',
      subject: { kind: 'refund', id },
      after: { transaction: paid.id, amount, currency, type, ...(counted as RefundDay | null) },
      reason: wish.reason ?? null,
      environmentId: paid.environment_id,
    });
    return placed;
  });
}

/**
 * Within this time a double click or a client's retry counts as the same request. To refund the same amount twice, send
 * two keys.
 */
const SAME_WISH_MS = 60_000;

/** Called under the lock of the transaction, so that the second of two concurrent requests finds the first. */
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
