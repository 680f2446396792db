import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { endUnpaid } from './end-unpaid.ts';
import type { TransactionKey } from './transaction.ts';
import { hasOpenAttempt, lockTransaction, selectExpired } from './transaction-queries.ts';

/**
 * Ends pending transactions whose time is over, at most `limit`, and answers how many there were: `expired`, or `failed` after a decline.
 * One for which a payment method has still to answer is left alone: its answer decides.
 */
export async function expireTransactions(app: App, limit: number): Promise<number> {
  let expired = 0;
  for (const key of await selectExpired(app.db, app.now(), limit)) {
    try {
      await expireTransaction(app, key);
      expired++;
    } catch (error) {
      // A failure of the store concerns all; any other concerns one transaction.
      if (error instanceof StorageError) throw error;
      app.log.error({ err: error, transaction: key.id }, 'a transaction could not be expired');
    }
  }
  return expired;
}

/** Ends one whose time is over, unless it has ended or a payment method has still to answer. */
export async function expireTransaction(app: App, key: TransactionKey): Promise<void> {
  const at = app.now();
  const environment = await findEnvironmentById(app, key.environment_id);
  if (environment === null) return;
  const ended = await app.db.transaction(async (tx) => {
    const transaction = await lockTransaction(tx, key);
    // A payment may have begun since the list was made.
    if (transaction?.state !== 'pending' || (await hasOpenAttempt(tx, key))) return null;
    return endUnpaid(tx, environment, transaction, { event: 'expire', at });
  });
  if (ended?.kind === 'moved') app.metrics.transactions.inc({ state: ended.transaction.state });
}
