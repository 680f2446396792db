import { selectAvailable } from '../books/balance-queries.ts';
import type { Tx } from '../db/database.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { lockEnvironmentFunds } from './payment-service-queries.ts';

/**
 * Reads what is available of a merchant's money in one currency, and keeps it until the commit: a payout or a refund, which
 * take some away, ask here first, so that together they never take more than there is.
 *
 * The lock comes after the lock of a transaction and before the outbox and the books, see ARCHITECTURE.md.
 */
export async function lockFunds(tx: Tx, environmentId: number, currency: string): Promise<Sum> {
  await lockEnvironmentFunds(tx, environmentId);
  return selectAvailable(tx, [environmentId], currency);
}
