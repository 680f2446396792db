import type { App } from '../app.ts';
import { availableBalance } from '../books/available-balance.ts';
import { selectBalance } from '../books/balance-queries.ts';
import { PAYOUTS_RESERVED } from '../books/journal-entry.ts';
import { addUp, type Sum } from '../lib/exact-sum.ts';
import { PAYOUT_CURRENCY } from './payout-limits.ts';
import { type StateSum, sumOpenPayouts } from './payout-queries.ts';

/** Sums a merchant's money that is on its way to others, by state; in CLP. What waits for an approval reserves nothing yet. */
export function payoutPosition(app: App, environmentId: number): Promise<StateSum[]> {
  return sumOpenPayouts(app.db, environmentId, PAYOUT_CURRENCY);
}

/**
 * Sums a merchant's money that can be paid out, and the same with the approved payouts that have not arrived yet; in CLP. Both
 * without what is being refunded.
 */
export async function payoutBalance(app: App, environmentId: number): Promise<{ available: Sum; balance: Sum }> {
  const currency = PAYOUT_CURRENCY;
  const available = await availableBalance(app, { environmentIds: [environmentId], transactionId: 0 }, currency);
  const reserved = await selectBalance(app.db, { environmentId, account: PAYOUTS_RESERVED, currency });
  return { available, balance: addUp([available, -reserved]) };
}
