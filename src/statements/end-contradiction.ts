import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireUserOf } from '../auth/person-of.ts';
import { Problem } from '../error-catalogue.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { requireHere } from '../payment-services/find-environment.ts';
import { type Payout, standingOfPayout } from '../payouts/payout.ts';
import { updateContradictionEnded } from '../payouts/payout-queries.ts';
import { requireStanding } from '../payouts/settling/require-standing.ts';
import type { PayoutOwner } from '../payouts/transition-payouts.ts';
import { refuseUnbooked } from './refuse-unbooked.ts';

type Ending = { owner: PayoutOwner; payout: Payout; by: Actor; reason: string; evidence: Evidence; seen?: string };

/**
 * Ends the contradiction of a payout after a person has checked it. The state stays and no money moves. Throws
 * `Problem` PAYOUT_STATE if there is no contradiction, if the payout no longer stands as `seen`, or if a line of a bank
 * statement shows money of it that is not booked (`refuseUnbooked`); PERSON_NEEDED or PERMISSION_MISSING. `seen`: as
 * for `settlePayouts`; absent: as `payout` stands.
 */
export async function endContradiction(
  app: App,
  { owner, payout, by, reason, evidence, seen = standingOfPayout(payout) }: Ending,
): Promise<Payout> {
  await requireHere(app, owner.paymentServiceId);
  return app.db.transaction(async (tx) => {
    const [now] = await requireStanding(tx, { environmentId: owner.id, ids: [payout.id] }, seen);
    await requireUserOf(tx, by, owner.id, 'movements:record');
    if (now !== undefined) await refuseUnbooked(tx, now);
    const ended = await updateContradictionEnded(tx, payout);
    if (ended === null)
      throw new Problem('PAYOUT_STATE', {
        detail: { en: `Nothing contradicts ${payout.id}.`, es: `Nada contradice a ${payout.id}.` },
      });
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'payout.contradiction_ended',
      environmentId: owner.id,
      subject: { kind: 'payout', id: payout.id },
      before: { said: payout.contradiction },
      after: { state: ended.state, evidence_name: evidence.name, evidence_sha256: evidence.sha256 },
      reason,
    });
    return ended;
  });
}
