import type { App } from '../app.ts';
import { selectBalance } from '../books/balance-queries.ts';
import { PAYOUTS_RESERVED } from '../books/journal-entry.ts';
import { addUp, type Sum } from '../lib/exact-sum.ts';
import { readFunds } from '../payment-services/lock-funds.ts';
import { PAYOUT_CURRENCY } from './payout.ts';

/**
 * Returns the merchant's money that can be paid out now, in CLP: without running refunds and the reserve for refunds.
 */
export async function payableBalance(app: App, environmentId: number): Promise<Sum> {
  return (await readFunds(app.db, environmentId, PAYOUT_CURRENCY)).payable;
}

/**
 * Returns two sums in CLP, both without running refunds. `payable`: the money that can be paid out. `balance`: all
 * money, including the reserve for refunds and approved payouts that have not arrived.
 */
export async function payoutBalance(app: App, environmentId: number): Promise<{ payable: Sum; balance: Sum }> {
  const currency = PAYOUT_CURRENCY;
  const { available, payable } = await readFunds(app.db, environmentId, currency);
  const reserved = await selectBalance(app.db, { environmentId, account: PAYOUTS_RESERVED, currency });
  return { payable, balance: addUp([available, -reserved]) };
}
