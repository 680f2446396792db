import type { App } from '../app.ts';
import { nameState } from '../payouts/kept-texts.ts';
import { selectUnbookedPayouts } from '../payouts/payout-queries.ts';
import type { Findings } from './proof-finding.ts';

/**
 * Compares the state of every payout with its entries: an approved payout is reserved, a confirmed one has left, and so
 * on.
 */
export async function verifyPayouts(app: App, findings: Findings): Promise<void> {
  for (const { id, environment_id, state, changed_at } of await selectUnbookedPayouts(app.db)) {
    const says = `payout ${id} is ${nameState(state)}, and the books do not say so`;
    findings.add({ finding: 'payout_changed', environment_id, subject: id, since: changed_at, says });
  }
}
