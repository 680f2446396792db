import type { App } from '../../app.ts';
import type { LookUpAnswer } from '../../payout-senders/payout-sender.ts';
import { postponePayout } from '../due-payout-queries.ts';
import { type KeptReason, STILL_PENDING } from '../kept-texts.ts';
import { compareOutcome, nextLook, type Payout } from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';
import { type PayoutOwner, transitionPayouts } from '../transition-payouts.ts';
import { recordContradiction } from './record-contradiction.ts';
import { settleOutcomes } from './settle-outcomes.ts';

/**
 * Records a sender's answer about a sent payout in one transaction: its state, its event and its entries. Without an
 * answer, a `sent` payout becomes `unknown` and is looked up again. An answer that contradicts the state, or names
 * another amount, is stored for a person and logged as an alarm. The same answer again changes nothing. It raises no
 * alarm; an answer that a person has ended since the payout was claimed raises none either.
 */
export async function settleAnswer(app: App, owner: PayoutOwner, claimed: Payout, answer: LookUpAnswer): Promise<void> {
  const contradiction = await app.db.transaction(async (tx) => {
    const at = app.now();
    const [payout] = await lockPayouts(tx, { environmentId: owner.id, ids: [claimed.id] });
    if (payout === undefined || payout.sent_at === null) return null;
    const since = { sentAt: payout.sent_at, settledAt: payout.settled_at ?? at };
    const { kind } = answer;
    const isEnded = (said: string) => isEndedSince(claimed, payout, said);
    if (kind === 'confirmed' || kind === 'failed' || kind === 'returned') {
      if (isEnded(kind) && compareOutcome(payout.state, kind) === 'contradicts') {
        await postponePayout(tx, claimed, nextLook(payout.state, since, at));
        return null;
      }
      const reason = 'reason' in answer ? answer.reason : null;
      const said = { id: payout.id, outcome: kind, reason };
      const { settled, contradicted } = await settleOutcomes(tx, owner, [said], { at });
      if (settled.length === 0) await postponePayout(tx, claimed, nextLook(payout.state, since, at));
      return contradicted.length > 0 ? unlessKnown(payout, kind) : null;
    }
    if ((kind === 'unknown' || kind === 'absent') && payout.state === 'sent') {
      const next = { nextLookAt: nextLook('unknown', since, at), reason: WHY[kind] };
      await transitionPayouts(tx, owner, { ids: [payout.id], to: 'unknown', at }, next);
      return null;
    }
    // An answer from before the failure is old. After it the merchant has the money again, and the provider may still pay it.
    const isStillPending = kind === 'pending' && payout.state === 'failed' && claimed.state === 'failed';
    const says = kind === 'contradiction' ? answer.says : isStillPending ? STILL_PENDING : null;
    const said = says === null || isEnded(says) ? null : says;
    if (said !== null) await recordContradiction(tx, payout, said, at);
    await postponePayout(tx, claimed, nextLook(payout.state, since, at));
    return said === null ? null : unlessKnown(payout, said);
  });
  if (contradiction !== null) {
    const about = { alarm: 'payout_contradiction', payout: claimed.id, state: claimed.state, said: contradiction };
    app.log.error(about, 'a payout sender contradicts the state of a payout');
  }
}

/** Returns whether a person has ended this contradiction since the payout was claimed, whenever it began. */
function isEndedSince(claimed: Payout, now: Payout, said: string): boolean {
  if (now.contradiction !== null) return false;
  return claimed.contradiction === said || (now.contradiction_ended === said && claimed.contradiction_ended !== said);
}

/** A contradiction that is stored already raises no second alarm. */
function unlessKnown({ contradiction }: Payout, said: string): string | null {
  return contradiction === said ? null : said;
}

const WHY = {
  unknown: 'the sender did not answer',
  absent: 'the sender says that it never had it',
} as const satisfies Record<string, KeptReason>;
