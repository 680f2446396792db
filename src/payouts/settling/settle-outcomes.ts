import type { Tx } from '../../db/database.ts';
import { compareOutcome, nextLook, PAYOUT_STATES, type Payout, type PayoutState } from '../payout.ts';
import { lockPayouts, type PayoutChange } from '../payout-queries.ts';
import { type PayoutOwner, transitionPayouts } from '../transition-payouts.ts';
import { recordContradiction } from './record-contradiction.ts';

/** How a payout can end after it has left. */
export type PayoutOutcome = 'confirmed' | 'failed' | 'returned';

/**
 * The reported outcome of a payout. `reason`: in the words of the bank; it names no person. `line`: of a bank statement
 * that says it, such as `st_…/12`.
 */
export type SaidOutcome = {
  readonly id: string;
  readonly outcome: PayoutOutcome;
  readonly reason: string | null;
  readonly line?: string;
};

/**
 * `already`: the payouts had this outcome before. `contradicted`: their state does not allow it, so a contradiction was
 * recorded.
 */
export type SettledPayouts = { settled: Payout[]; already: Payout[]; contradicted: Payout[] };

/**
 * Settles payouts that have left, from any source: a sender, a bank file, a line of a bank statement or a person. A
 * returned payout must have arrived first, so one without an end is booked as confirmed and then as returned. An
 * outcome that contradicts the state moves no money and is stored as a contradiction. `isRepeated`: the same report was
 * recorded before, so a contradiction that a person has ended does not begin again. Ignores ids without a payout.
 */
export async function settleOutcomes(
  tx: Tx,
  owner: PayoutOwner,
  outcomes: readonly SaidOutcome[],
  { at, isRepeated = false, ...change }: { at: number; isRepeated?: boolean } & Pick<PayoutChange, 'endsContradiction'>,
): Promise<SettledPayouts> {
  const ids = outcomes.map(({ id }) => id);
  const payouts = new Map((await lockPayouts(tx, { environmentId: owner.id, ids })).map((one) => [one.id, one]));
  const result: SettledPayouts = { settled: [], already: [], contradicted: [] };
  for (const [, group] of Map.groupBy(outcomes, ({ outcome, reason }) => JSON.stringify([outcome, reason]))) {
    const [{ outcome, reason }] = group as [SaidOutcome];
    const move = async (some: readonly Payout[], to: PayoutState) =>
      transitionPayouts(
        tx,
        owner,
        { ids: some.map(({ id }) => id), to, at },
        { ...change, reason, nextLookAt: nextLook(to, { sentAt: at, settledAt: at }, at) },
      );
    const lineOf = new Map(group.map(({ id, line }) => [id, line]));
    const named = group.flatMap(({ id }) => payouts.get(id) ?? []);
    const weighed = Map.groupBy(named, ({ state, contradiction_ended }) => {
      const effect = compareOutcome(state, outcome);
      return effect === 'contradicts' && isRepeated && contradiction_ended === outcome ? 'already' : effect;
    });
    const ready = weighed.get('settles') ?? [];
    const arrives = ready.filter(({ state }) => !PAYOUT_STATES[state].includes(outcome));
    if (arrives.length > 0) await move(arrives, 'confirmed');
    const moved = ready.length > 0 ? await move(ready, outcome) : [];
    result.settled.push(...moved);
    result.already.push(...(weighed.get('already') ?? []));
    const others = weighed.get('contradicts') ?? [];
    for (const payout of others) await recordContradiction(tx, payout, outcome, at, lineOf.get(payout.id));
    result.contradicted.push(...others);
    // A further outcome of the same payout is compared with this state.
    for (const payout of moved) payouts.set(payout.id, payout);
  }
  return result;
}
