import { selectAvailable } from '../books/balance-queries.ts';
import type { Reader, Tx } from '../db/database.ts';
import { addUp, type Sum, subtract } from '../lib/exact-sum.ts';
import { selectFundsRule } from './funds-rule-queries.ts';
import { lockEnvironmentFunds } from './payment-service-queries.ts';

/**
 * A merchant's money in one currency, in minor units. `payable`: the limit of payouts, without the amount that is kept
 * back; never below 0. `refundable`: the limit of refunds, with the allowed overdraft.
 */
export type Funds = { readonly available: Sum; readonly payable: Sum; readonly refundable: Sum };

/**
 * Reads a merchant's money and locks it until the commit. Payouts and refunds call this before they take any, so that
 * together they never exceed it.
 *
 * Take this lock after the lock of a transaction and before the outbox and the books, see ARCHITECTURE.md.
 */
export async function lockFunds(tx: Tx, environmentId: number, currency: string): Promise<Funds> {
  await lockEnvironmentFunds(tx, environmentId);
  return readFunds(tx, environmentId, currency);
}

/** Reads a merchant's money without a lock. */
export async function readFunds(db: Reader, environmentId: number, currency: string): Promise<Funds> {
  const available = await selectAvailable(db, [environmentId], currency);
  const { kept_back, overdraft } = await selectFundsRule(db, environmentId, currency);
  return { available, payable: payableOf(available, kept_back), refundable: addUp([available, overdraft]) };
}

/** Returns the limit of payouts: the available money without the amount that is kept back, never below 0. */
export function payableOf(available: Sum, keptBack: number): Sum {
  const free = subtract(available, keptBack);
  return free > 0 ? free : 0;
}
