import type { Tx } from '../../db/database.ts';
import { recordEnvironmentEvents } from '../../outbox/record-event.ts';
import type { KeptContradiction } from '../kept-texts.ts';
import type { Payout } from '../payout.ts';
import { contradictedEvent } from '../payout-notice.ts';
import { updateContradiction } from '../payout-queries.ts';

/**
 * Stores a report that contradicts a payout's state, until a person ends the contradiction, and records an event in the
 * feed. No money moves. The same report again changes nothing. `said` names no person. `line`: `contradicted_by` of the
 * payout.
 */
export async function recordContradiction(
  tx: Tx,
  payout: Pick<Payout, 'id' | 'environment_id'>,
  said: KeptContradiction,
  at: number,
  line: string | null = null,
): Promise<void> {
  const contradicted = await updateContradiction(tx, payout, { said, at, line });
  if (contradicted !== null) await recordEnvironmentEvents(tx, [contradictedEvent(contradicted, said, at)]);
}
