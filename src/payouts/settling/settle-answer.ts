import type { App } from '../../app.ts';
import type { Tx } from '../../db/database.ts';
import type { LookUpAnswer } from '../../payout-senders/payout-sender.ts';
import { postponePayout } from '../due-payout-queries.ts';
import { type KeptContradiction, type KeptReason, LEFT_OTHERWISE, NEVER_HAD, STILL_PENDING } from '../kept-texts.ts';
import { compareOutcome, nextLook, type Payout, type PayoutState } from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';
import { type PayoutOwner, transitionPayouts } from '../transition-payouts.ts';
import { recordContradiction } from './record-contradiction.ts';
import { type PayoutOutcome, settleOutcomes } from './settle-outcomes.ts';

/**
 * Records a sender's answer about a sent payout in one transaction: its state, its event and its entries. Without an
 * answer, a `sent` payout becomes `unknown` and is looked up again. An answer that contradicts the state, or names
 * another amount, is stored for a person and logged as an alarm. The same answer again changes nothing. It raises no
 * alarm; an answer that a person has ended since the payout was claimed raises none either, nor does another amount or
 * transfer that a person has ended before. `senderId`: the sender that answered. If the payout has left in another way,
 * or was taken back, an answer that the sender has it is a contradiction: the money may leave twice.
 */
export async function settleAnswer(
  app: App,
  owner: PayoutOwner,
  claimed: Payout,
  answer: LookUpAnswer,
  senderId = claimed.sender_id,
): Promise<void> {
  const contradiction = await app.db.transaction(async (tx) => {
    const at = app.now();
    const [payout] = await lockPayouts(tx, { environmentId: owner.id, ids: [claimed.id] });
    if (payout === undefined) return null;
    if (payout.sender_id !== senderId) return leftOtherwise(tx, payout, answer, at);
    if (payout.sent_at === null) return null;
    const since = { sentAt: payout.sent_at, settledAt: payout.settled_at ?? at };
    const turn: Turn = { owner, claimed, payout, at, lookAfter: (state) => nextLook(state, since, at) };
    switch (answer.kind) {
      case 'confirmed':
      case 'failed':
      case 'returned':
        return settleOutcome(tx, turn, answer.kind, 'reason' in answer ? answer.reason : null);
      case 'unknown':
      case 'absent':
        if (payout.state === 'sent') return becomeUnknown(tx, turn, WHY[answer.kind]);
        return waitOn(tx, turn, answer.kind === 'absent' && isStill(turn, 'confirmed') ? NEVER_HAD : null);
      case 'contradiction':
        // A sender repeats this with every answer. Once a person has ended it, it is not listed again.
        return waitOn(tx, turn, payout.contradiction_ended === answer.says ? null : answer.says);
      case 'pending':
        return waitOn(tx, turn, isStill(turn, 'failed') ? STILL_PENDING : null);
    }
  });
  if (contradiction === null) return;
  const about = { alarm: 'payout_contradiction', payout: claimed.id, state: claimed.state, said: contradiction };
  app.log.error(about, 'a payout sender contradicts the state of a payout');
}

/**
 * One answer about one payout. `claimed`: the payout as it was when the sender was asked; `payout`: as it is, locked.
 * `lookAfter`: when a payout in a state is looked up next.
 */
type Turn = {
  readonly owner: PayoutOwner;
  readonly claimed: Payout;
  readonly payout: Payout;
  readonly at: number;
  readonly lookAfter: (state: PayoutState) => number | null;
};

/** The contradiction that raises an alarm; null: none. */
type Alarm = Promise<string | null>;

async function settleOutcome(tx: Tx, turn: Turn, outcome: PayoutOutcome, reason: string | null): Alarm {
  const { owner, claimed, payout, at } = turn;
  if (compareOutcome(payout.state, outcome) === 'contradicts' && isEndedSince(turn, outcome))
    return waitOn(tx, turn, null);
  const { settled, contradicted } = await settleOutcomes(tx, owner, [{ id: payout.id, outcome, reason }], { at });
  if (settled.length === 0) await postponePayout(tx, claimed, turn.lookAfter(payout.state));
  return contradicted.length > 0 ? unlessKnown(payout, outcome) : null;
}

/** Stores that a sender has a payout that did not leave by it. */
async function leftOtherwise(tx: Tx, payout: Payout, answer: LookUpAnswer, at: number): Alarm {
  if (answer.kind === 'absent' || answer.kind === 'unknown' || answer.kind === 'failed') return null;
  await recordContradiction(tx, payout, LEFT_OTHERWISE, at);
  return unlessKnown(payout, LEFT_OTHERWISE);
}

async function becomeUnknown(tx: Tx, { owner, payout, at, lookAfter }: Turn, reason: KeptReason): Alarm {
  const next = { nextLookAt: lookAfter('unknown'), reason };
  await transitionPayouts(tx, owner, { ids: [payout.id], to: 'unknown', at }, next);
  return null;
}

/** Leaves the state and looks again later. Stores what the sender says against the state, unless a person ended it. */
async function waitOn(tx: Tx, turn: Turn, says: KeptContradiction | null): Alarm {
  const { claimed, payout, at, lookAfter } = turn;
  const said = says === null || isEndedSince(turn, says) ? null : says;
  if (said !== null) await recordContradiction(tx, payout, said, at);
  await postponePayout(tx, claimed, lookAfter(payout.state));
  return said === null ? null : unlessKnown(payout, said);
}

/**
 * Returns whether the payout had this end when the sender was asked, and has it still. A provider that has a failed
 * payout may pay it, although the merchant has its money again; one that never had a confirmed payout did not pay it.
 * An answer from before the end is old and says nothing.
 */
function isStill({ claimed, payout }: Turn, end: 'confirmed' | 'failed'): boolean {
  return payout.state === end && claimed.state === end;
}

/** Returns whether a person has ended this contradiction since the payout was claimed, whenever it began. */
function isEndedSince({ claimed, payout: now }: Turn, said: string): boolean {
  return claimed.contradiction === said
    ? now.contradiction !== said
    : now.contradiction_ended === said && claimed.contradiction_ended !== said;
}

/** A contradiction that is stored already raises no second alarm. */
function unlessKnown({ contradiction }: Payout, said: string): string | null {
  return contradiction === said ? null : said;
}

const WHY = {
  unknown: 'the sender did not answer',
  absent: NEVER_HAD,
} as const satisfies Record<string, KeptReason>;
