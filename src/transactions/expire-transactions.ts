import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { endUnpaid } from './end-unpaid.ts';
import type { TransactionKey } from './transaction.ts';
import { hasOpenAttempt, lockTransaction, selectExpired } from './transaction-queries.ts';

/**
 * Ends pending transactions whose time is over, at most `limit`, and answers how many there were: `expired`, or `failed` after a decline.
 * One for which a payment method has still to answer is left alone: its answer decides.
 */
export async function expireTransactions(app: App, limit: number): Promise<number> {
  const keys = await selectExpired(app.db, app.now(), limit);
  let expired = 0;
  for (let at = 0; at < keys.length; at += TOGETHER) {
    const ended = await Promise.all(keys.slice(at, at + TOGETHER).map((key) => tryToExpire(app, key)));
    expired += ended.filter(Boolean).length;
  }
  return expired;
}

/** On PostgreSQL each waits for its answers while the others do; more would take connections from requests. */
const TOGETHER = 4;

async function tryToExpire(app: App, key: TransactionKey): Promise<boolean> {
  try {
    await expireTransaction(app, key);
    return true;
  } catch (error) {
    // A failure of the store concerns all; any other concerns one transaction.
    if (error instanceof StorageError) throw error;
    app.log.error({ err: error, transaction: key.id }, 'a transaction could not be expired');
    return false;
  }
}

/** Ends one whose time is over, unless it has ended or a payment method has still to answer. */
export async function expireTransaction(app: App, key: TransactionKey): Promise<void> {
  const at = app.now();
  const environment = await environmentOf(app, key);
  const ended = await app.db.transaction(async (tx) => {
    const transaction = await lockTransaction(tx, key);
    // A payment may have begun since the list was made.
    if (transaction?.state !== 'pending' || (await hasOpenAttempt(tx, key))) return null;
    return endUnpaid(tx, environment, transaction, { event: 'expire', at });
  });
  if (ended?.kind === 'moved') app.metrics.transactions.inc({ state: ended.transaction.state });
}
