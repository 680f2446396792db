import type { App } from '../app.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { selectAvailable, selectAvailableOf } from './balance-queries.ts';
import type { ReconciliationScope } from './reconciliation-queries.ts';

/**
 * Sums the amount owed to the merchants of these environments, in minor units: paid, less fees, refunded, being refunded and
 * paid out. Of one transaction: the same without payouts, which belong to none.
 */
export async function availableBalance(
  app: App,
  { environmentIds, transactionId }: Pick<ReconciliationScope, 'environmentIds' | 'transactionId'>,
  currency: string,
): Promise<Sum> {
  if (transactionId !== 0) return selectAvailableOf(app.db, transactionId, environmentIds, currency);
  return selectAvailable(app.db, environmentIds, currency);
}
