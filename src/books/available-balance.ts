import type { App } from '../app.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { selectAvailable, selectAvailableOf } from './balance-queries.ts';
import type { ReconciliationScope } from './reconciliation-queries.ts';

/**
 * Sums the available money of the merchants of these environments, in minor units: payments less fees, refunds, refunds
 * in process and payouts. With a transaction, sums only its part; no payout belongs to a transaction.
 */
export async function availableBalance(
  app: App,
  { environmentIds, transactionId }: Pick<ReconciliationScope, 'environmentIds' | 'transactionId'>,
  currency: string,
): Promise<Sum> {
  if (transactionId !== 0) return selectAvailableOf(app.db, transactionId, environmentIds, currency);
  return selectAvailable(app.db, environmentIds, currency);
}
