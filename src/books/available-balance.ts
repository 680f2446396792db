import type { App } from '../app.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { selectAvailable, selectAvailableOf } from './balance-queries.ts';
import type { ReconciliationScope } from './reconciliation-queries.ts';

/**
 * Sums the amount that the merchants of these environments can still receive, in minor units: payments less fees, refunds, refunds in
 * process and payouts. For one transaction, payouts are not subtracted, because no payout belongs to a transaction.
 */
export async function availableBalance(
  app: App,
  { environmentIds, transactionId }: Pick<ReconciliationScope, 'environmentIds' | 'transactionId'>,
  currency: string,
): Promise<Sum> {
  if (transactionId !== 0) return selectAvailableOf(app.db, transactionId, environmentIds, currency);
  return selectAvailable(app.db, environmentIds, currency);
}
