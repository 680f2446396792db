import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { type Payout, standingOfPayout } from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';

/**
 * Locks payouts until the commit and returns them. Throws `Problem` PAYOUT_STATE if one does not stand as a person saw
 * it: `seen` is from `standingOfPayout`. Ignores ids without a payout.
 */
export async function requireStanding(
  tx: Tx,
  named: { environmentId: number; ids: readonly string[] },
  seen: string,
): Promise<Payout[]> {
  const payouts = await lockPayouts(tx, named);
  const changed = payouts.find((payout) => standingOfPayout(payout) !== seen);
  if (changed === undefined) return payouts;
  const { id } = changed;
  throw new Problem('PAYOUT_STATE', {
    detail: { en: `${id} has changed since it was shown.`, es: `${id} cambió desde que se mostró.` },
  });
}
