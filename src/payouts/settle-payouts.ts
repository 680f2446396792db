import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { Problem } from '../error-catalogue.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { PAYOUT_STATES, type Payout, type PayoutState } from './payout.ts';
import { lockPayouts, updateContradiction } from './payout-queries.ts';
import { requireUserOf } from './person-of.ts';
import { type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

export type PayoutOutcome = 'confirmed' | 'failed' | 'returned';

/** What somebody says became of payouts, with what shows it. `reason`: why, as the bank said it; it names no person. */
export type PayoutSettlement = {
  readonly owner: PayoutOwner;
  readonly by: Actor;
  readonly outcomes: readonly {
    readonly id: string;
    readonly outcome: PayoutOutcome;
    readonly reason: string | null;
  }[];
  readonly evidence: Evidence;
};

/** `already`: they were so. `contradicted`: they cannot become it; that is kept and a person is told. */
export type SettledPayouts = { settled: Payout[]; already: Payout[]; contradicted: Payout[] };

/**
 * Says what became of payouts that had left, in one commit with their entries. What contradicts a state changes no money: it is
 * kept beside the payout. Throws `Problem` NOT_FOUND, PERSON_NEEDED or PERMISSION_MISSING.
 */
export function settlePayouts(app: App, settlement: PayoutSettlement): Promise<SettledPayouts> {
  const { owner, by, outcomes, evidence } = settlement;
  return app.db.transaction(async (tx) => {
    await requireUserOf(tx, by, owner.id, 'movements:record');
    const at = app.now();
    const ids = outcomes.map(({ id }) => id);
    const payouts = new Map((await lockPayouts(tx, { environmentId: owner.id, ids })).map((one) => [one.id, one]));
    if (payouts.size < new Set(ids).size) throw new Problem('NOT_FOUND', { detail: 'There is no such payout.' });
    const result: SettledPayouts = { settled: [], already: [], contradicted: [] };
    const groups = Map.groupBy(outcomes, ({ outcome, reason }) => JSON.stringify([outcome, reason]));
    for (const group of groups.values()) {
      const [{ outcome, reason }] = group as [(typeof group)[number]];
      const named = group.map(({ id }) => payouts.get(id) as Payout);
      const ready = named.filter(({ state }) => mayBecome(state, outcome)).map(({ id }) => id);
      result.settled.push(...(await transitionPayouts(tx, owner, { ids: ready, to: outcome, at }, { reason })));
      result.already.push(...named.filter(({ state }) => state === outcome));
      const others = named.filter(({ state }) => state !== outcome && !mayBecome(state, outcome));
      for (const payout of others) await updateContradiction(tx, payout, outcome, at);
      result.contradicted.push(...others);
    }
    await recordAudit(tx, {
      at,
      by,
      action: 'payout.settled',
      subject: { kind: 'payout', id: ids.length === 1 ? (ids[0] as string) : `${ids.length} payouts` },
      after: {
        payment_service: owner.paymentServiceId,
        environment: owner.environment,
        settled: result.settled.map(({ id, state }) => `${id} ${state}`),
        contradicted: result.contradicted.map(({ id }) => id),
        evidence_name: evidence.name,
        evidence_sha256: evidence.sha256,
      },
      reason: outcomes.length === 1 ? (outcomes[0]?.reason ?? null) : null,
    });
    return result;
  });
}

function mayBecome(state: PayoutState, outcome: PayoutOutcome): boolean {
  return PAYOUT_STATES[state].includes(outcome);
}
