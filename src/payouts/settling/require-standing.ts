import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { standingOfPayout } from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';

/**
 * Locks payouts until the commit. Throws `Problem` PAYOUT_STATE if one does not stand as a person saw it: `seen` is
 * from `standingOfPayout`. Ignores ids without a payout.
 */
export async function requireStanding(
  tx: Tx,
  named: { environmentId: number; ids: readonly string[] },
  seen: string,
): Promise<void> {
  const changed = (await lockPayouts(tx, named)).find((payout) => standingOfPayout(payout) !== seen);
  if (changed === undefined) return;
  const { id } = changed;
  throw new Problem('PAYOUT_STATE', {
    detail: { en: `${id} has changed since it was shown.`, es: `${id} cambió desde que se mostró.` },
  });
}
