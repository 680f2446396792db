import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { selectAudit } from '../../audit/audit-queries.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { requireUserOf } from '../../auth/person-of.ts';
import type { JournalEntry } from '../../books/journal-entry.ts';
import { selectEntriesOfPayout } from '../../books/journal-queries.ts';
import type { Tx } from '../../db/database.ts';
import { rehearse } from '../../db/rehearse.ts';
import type { RowKey } from '../../db/row-key.ts';
import { notFound } from '../../error-catalogue.ts';
import type { Evidence } from '../../lib/evidence-file.ts';
import { requireHere } from '../../payment-services/find-environment.ts';
import type { PayoutState } from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';
import type { PayoutOwner } from '../transition-payouts.ts';
import { requireStanding } from './require-standing.ts';
import { type SaidOutcome, type SettledPayouts, settleOutcomes } from './settle-outcomes.ts';

/** The outcomes of payouts as a person reports them, with the evidence. */
export type PayoutSettlement = {
  readonly owner: PayoutOwner;
  readonly by: Actor;
  readonly outcomes: readonly SaidOutcome[];
  readonly evidence: Evidence;
  /** The id of the payout file whose results these are, for the audit log. */
  readonly file?: string;
  /** How the payouts stood when the person saw them, from `standingOfPayout`. Absent: they may stand in any way. */
  readonly seen?: string;
};

/**
 * Settles payouts that have left as a person reports, in one transaction with their entries and the audit log. An
 * outcome that contradicts the state moves no money and is stored as a contradiction. Other outcomes end an earlier
 * contradiction, but not if they come from a file, and not one of a line of a bank statement, which `endContradiction`
 * ends; the same file again begins none that a person has ended. Throws `Problem` NOT_FOUND, PERSON_NEEDED or
 * PERMISSION_MISSING, and PAYOUT_STATE if a payout no longer stands as `seen`.
 */
export async function settlePayouts(app: App, settlement: PayoutSettlement): Promise<SettledPayouts> {
  await requireHere(app, settlement.owner.paymentServiceId);
  return app.db.transaction((tx) => settleIn(tx, settlement, app.now()));
}

/** The state that a payout would have, and the entries that the books would add for it. */
export type RehearsedSettlement = { state: PayoutState; entries: JournalEntry[] };

/** Returns the effect of that settlement on one payout, and changes nothing. Throws the same `Problem`. */
export async function rehearseSettlement(
  app: App,
  payout: RowKey<string>,
  settlement: PayoutSettlement,
): Promise<RehearsedSettlement> {
  await requireHere(app, settlement.owner.paymentServiceId);
  return rehearse(app.db, async (tx) => {
    const before = (await selectEntriesOfPayout(tx, payout)).length;
    await settleIn(tx, settlement, app.now());
    const [after] = await lockPayouts(tx, { environmentId: payout.environment_id, ids: [payout.id] });
    if (after === undefined) throw new Error('A payout is gone');
    return { state: after.state, entries: (await selectEntriesOfPayout(tx, payout)).slice(before) };
  });
}

async function settleIn(tx: Tx, settlement: PayoutSettlement, at: number): Promise<SettledPayouts> {
  const { owner, by, outcomes, evidence, file, seen } = settlement;
  const ids = [...new Set(outcomes.map(({ id }) => id))];
  if (seen !== undefined) await requireStanding(tx, { environmentId: owner.id, ids }, seen);
  // A person who takes over a file of results is not shown what contradicts each of its payouts.
  const change =
    file === undefined ? { endsContradiction: true as const } : { isRepeated: await wasRecorded(tx, file, evidence) };
  const result = await settleOutcomes(tx, owner, outcomes, { at, ...change });
  // After the locks: somebody may have taken the permission away while they were awaited.
  await requireUserOf(tx, by, owner.id, 'movements:record');
  const found = new Set(Object.values(result).flatMap((some) => some.map(({ id }) => id)));
  if (found.size < ids.length) throw notFound('There is no such payout.', 'No existe ese pago.');
  await recordAudit(tx, {
    at,
    by,
    action: 'payout.settled',
    environmentId: owner.id,
    subject:
      file === undefined
        ? { kind: 'payout', id: ids.length === 1 ? (ids[0] as string) : `${ids.length} payouts` }
        : { kind: 'payout file', id: file },
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
}

/** The acts of a payout file that are read: one for its making, and one for each import of its results. */
const MOST_ACTS = 100;

/** Returns whether the same results of a payout file were recorded before. */
async function wasRecorded(tx: Tx, file: string, { sha256 }: Evidence): Promise<boolean> {
  const acts = await selectAudit(tx, { subject: file }, MOST_ACTS);
  return acts.some(
    ({ action, said_after }) =>
      action === 'payout.settled' && JSON.parse(said_after ?? '{}').evidence_sha256 === sha256,
  );
}
