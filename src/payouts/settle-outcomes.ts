import type { Tx } from '../db/database.ts';
import { nextLook, PAYOUT_STATES, type Payout, type PayoutState } from './payout.ts';
import { lockPayouts, type PayoutChange } from './payout-queries.ts';
import { recordContradiction } from './record-contradiction.ts';
import { type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

/** How a payout can end after it has left. */
export type PayoutOutcome = 'confirmed' | 'failed' | 'returned';

/** The reported outcome of a payout. `reason`: in the words of the bank; it names no person. */
export type SaidOutcome = { readonly id: string; readonly outcome: PayoutOutcome; readonly reason: string | null };

/**
 * `already`: the payouts had this outcome. `contradicted`: their state does not allow it, so a contradiction was
 * recorded.
 */
export type SettledPayouts = { settled: Payout[]; already: Payout[]; contradicted: Payout[] };

/**
 * Settles payouts that have left, from any source: a sender, a bank file, a line of a bank statement or a person. A
 * returned payout must have arrived first, so one without an end is booked as confirmed and then as returned. An
 * outcome that contradicts the state moves no money and is stored as a contradiction. Ignores ids without a payout.
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
    // A further outcome of the same payout is compared with this state.
    for (const payout of moved) payouts.set(payout.id, payout);
  }
  return result;
}

function mayBecome(state: PayoutState, outcome: PayoutState): boolean {
  return PAYOUT_STATES[state].includes(outcome);
}
