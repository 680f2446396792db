import type { App } from '../app.ts';
import { selectBalance } from '../books/balance-queries.ts';
import { PAYOUTS_RESERVED } from '../books/journal-entry.ts';
import { addUp, type Sum } from '../lib/exact-sum.ts';
import { readFunds } from '../payment-services/lock-funds.ts';
import { PAYOUT_CURRENCY } from './payout-limits.ts';
import { type StateSum, sumOpenPayouts } from './payout-queries.ts';

/** Sums a merchant's money that is on its way to others, by state; in CLP. What waits for an approval reserves nothing yet. */
export function payoutPosition(app: App, environmentId: number): Promise<StateSum[]> {
  return sumOpenPayouts(app.db, environmentId, PAYOUT_CURRENCY);
}

/** Reads what of a merchant's money can be paid out now, in CLP: without what is being refunded, and what is kept back for refunds. */
export async function payableBalance(app: App, environmentId: number): Promise<Sum> {
  return (await readFunds(app.db, environmentId, PAYOUT_CURRENCY)).payable;
}

/**
 * Sums a merchant's money that can be paid out, and all of it, with what is kept back and the approved payouts that have not arrived
 * yet; in CLP. Both without what is being refunded.
 */
export async function payoutBalance(app: App, environmentId: number): Promise<{ payable: Sum; balance: Sum }> {
  const currency = PAYOUT_CURRENCY;
  const { available, payable } = await readFunds(app.db, environmentId, currency);
  const reserved = await selectBalance(app.db, { environmentId, account: PAYOUTS_RESERVED, currency });
  return { payable, balance: addUp([available, -reserved]) };
}
