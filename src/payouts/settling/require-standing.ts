import type { Tx } from '../../db/database.ts';
import { type InBoth, Problem } from '../../error-catalogue.ts';
import { sayContradiction, stateWithCode } from '../kept-texts.ts';
import { contradictingLines, type Payout, standingOfPayout } from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';

/**
 * Locks payouts until the commit and returns them. Throws `Problem` PAYOUT_STATE if one does not stand as a person saw
 * it, and says how it stands now: `seen` is from `standingOfPayout`. Ignores ids without a payout.
 */
export async function requireStanding(
  tx: Tx,
  named: { environmentId: number; ids: readonly string[] },
  seen: string,
): Promise<Payout[]> {
  const payouts = await lockPayouts(tx, named);
  const changed = payouts.find((payout) => standingOfPayout(payout) !== seen);
  if (changed === undefined) return payouts;
  throw new Problem('PAYOUT_STATE', { detail: sayStanding(changed) });
}

/** Says how a payout stands now, with the lines of bank statements that contradict it. */
function sayStanding(payout: Payout): InBoth {
  const { id, state, contradiction } = payout;
  const is = stateWithCode(state);
  const said = contradiction === null ? null : sayContradiction(contradiction);
  const lines = contradictingLines(payout).join(', ');
  const en = said === null ? '' : `, and somebody says "${said.en}"${lines && ` (line ${lines})`}`;
  const es = said === null ? '' : `, y alguien dice «${said.es}»${lines && ` (línea ${lines})`}`;
  return {
    en: `${id} has changed since it was shown. It is in ${is.en}${en}.`,
    es: `${id} cambió desde que se mostró. Está en ${is.es}${es}.`,
  };
}
