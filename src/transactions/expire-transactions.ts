import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { endUnpaid } from './end-unpaid.ts';
import type { TransactionKey } from './transaction.ts';
import { hasOpenAttempt, lockTransaction, selectExpired } from './transaction-queries.ts';

/**
 * Ends pending transactions whose time is over, at most `limit`, as `expired`, or as `failed` after a decline. Skips
 * transactions for which a payment method has not answered. After an error it leaves out the environment for a minute.
 * Returns how many were handled without an error.
 */
export async function expireTransactions(app: App, limit: number): Promise<number> {
  const keys = await selectExpired(app.db, app.now(), { limit, except: leftOut(app) });
  let expired = 0;
  for (let at = 0; at < keys.length; at += TOGETHER) {
    const ended = await Promise.all(keys.slice(at, at + TOGETHER).map((key) => tryToExpire(app, key)));
    expired += ended.filter(Boolean).length;
  }
  return expired;
}

/** The environments in which a transaction could not be ended, with the time until which they are left out. */
const failing = perInstance((_app: App) => new Map<number, number>());
const LEFT_OUT_MS = 60_000;

/** Without this, the oldest transactions of a damaged environment would fill every batch, and no other would end. */
function leftOut(app: App): number[] {
  const now = app.now();
  for (const [id, until] of failing(app)) if (until <= now || until > now + LEFT_OUT_MS) failing(app).delete(id);
  return [...failing(app).keys()];
}

/** On PostgreSQL these run concurrently; more would take connections from requests. */
const TOGETHER = 4;

async function tryToExpire(app: App, key: TransactionKey): Promise<boolean> {
  try {
    await expireTransaction(app, key);
    return true;
  } catch (error) {
    // A storage failure affects all transactions; any other error affects only one, or its environment.
    if (error instanceof StorageError) throw error;
    failing(app).set(key.environment_id, app.now() + LEFT_OUT_MS);
    app.log.error({ err: error, transaction: key.id }, 'a transaction could not be expired');
    return false;
  }
}

/** Ends a transaction whose time is over, unless it has ended or a payment method has not answered. */
export async function expireTransaction(app: App, key: TransactionKey): Promise<void> {
  const at = app.now();
  const environment = await environmentOf(app, key);
  const ended = await app.db.transaction(async (tx) => {
    const transaction = await lockTransaction(tx, key);
    // A payment may have begun since the list was read.
    if (transaction?.state !== 'pending' || (await hasOpenAttempt(tx, key))) return null;
    return endUnpaid(tx, environment, transaction, { event: 'expire', at });
  });
  if (ended?.kind === 'moved') app.metrics.transactions.inc({ state: ended.transaction.state });
}
