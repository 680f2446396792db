import type { App } from '../app.ts';
import { MERCHANT_PAYABLE } from './journal-entry.ts';
import { type ReconciliationScope, selectAvailable } from './reconciliation-queries.ts';

/** What is owed to the merchants of these environments, in minor units: paid, less given back and being given back. */
export function availableBalance(
  app: App,
  scope: Pick<ReconciliationScope, 'environmentIds' | 'transactionId'>,
  currency: string,
): Promise<number> {
  return selectAvailable(app.db, scope, currency, MERCHANT_PAYABLE);
}
