import type { Tx } from '../db/database.ts';
import { nextLook, PAYOUT_STATES, type Payout, type PayoutState } from './payout.ts';
import { lockPayouts, type PayoutChange } from './payout-queries.ts';
import { recordContradiction } from './record-contradiction.ts';
import { type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

/** How a payout can end after it has left. */
export type PayoutOutcome = 'confirmed' | 'failed' | 'returned';

/** The outcome of a payout, as somebody says it. `reason`: why, as the bank said it; it names no person. */
export type SaidOutcome = { readonly id: string; readonly outcome: PayoutOutcome; readonly reason: string | null };

/** `already`: they were so. `contradicted`: they cannot become it; that is kept and a person is told. */
export type SettledPayouts = { settled: Payout[]; already: Payout[]; contradicted: Payout[] };

/**
 * Takes over what became of payouts that had left, from anybody: a sender, a file of the bank, a line of its statement or a
 * person. What came back had arrived: of a payout without an end both are booked. What contradicts a state moves no money: it is
 * kept beside the payout. Ids without a payout are left out.
 */
export async function settleOutcomes(
  tx: Tx,
  owner: PayoutOwner,
  outcomes: readonly SaidOutcome[],
  { at, ...change }: { at: number } & Pick<PayoutChange, 'endsContradiction'>,
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
    const named = group.flatMap(({ id }) => payouts.get(id) ?? []);
    const arrives = named.filter(({ state }) => outcome === 'returned' && mayBecome(state, 'confirmed'));
    if (arrives.length > 0) await move(arrives, 'confirmed');
    const ready = named.filter((one) => arrives.includes(one) || mayBecome(one.state, outcome));
    const moved = ready.length > 0 ? await move(ready, outcome) : [];
    result.settled.push(...moved);
    result.already.push(...named.filter(({ state }) => state === outcome));
    const others = named.filter((one) => !ready.includes(one) && one.state !== outcome);
    for (const payout of others) await recordContradiction(tx, payout, outcome, at);
    result.contradicted.push(...others);
    // The next report about one of them is held against this state.
    for (const payout of moved) payouts.set(payout.id, payout);
  }
  return result;
}

function mayBecome(state: PayoutState, outcome: PayoutState): boolean {
  return PAYOUT_STATES[state].includes(outcome);
}
