import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { DifferenceCause } from '../books/explain-difference.ts';
import { addUp } from '../lib/exact-sum.ts';
import type { KeptDifference, KeptSettlement } from './settlement.ts';
import { selectDifferences, selectSettlement, selectSettlements, updateAccepted } from './settlement-queries.ts';

/** What of a file is accepted: all that is open of a cause, or one difference by its number. */
export type Acceptance = {
  settlementId: string;
  cause: DifferenceCause;
  number: number | null;
  reason: string;
  by: Actor;
};

/** Accepts differences, with a reason that stays. It moves no money. Answers how many; 0: nothing of it is open. */
export function acceptDifferences(app: App, { settlementId, cause, number, reason, by }: Acceptance): Promise<number> {
  const at = app.now();
  return app.db.transaction(async (tx) => {
    const accepted = await updateAccepted(tx, { settlementId, cause, number }, { at, name: by.name, reason });
    if (accepted.length === 0) return 0;
    const amount = addUp(accepted.map(({ settled, booked }) => (settled ?? 0) - (booked ?? 0)));
    await recordAudit(tx, {
      at,
      by,
      action: 'settlement.accepted',
      subject: { kind: 'settlement', id: settlementId },
      after: { cause, differences: accepted.length, amount: String(amount), currency: accepted[0]?.currency ?? '' },
      reason,
    });
    return accepted.length;
  });
}

/** A file with its differences, or null. */
export async function showSettlement(
  app: App,
  id: string,
): Promise<{ settlement: KeptSettlement; differences: KeptDifference[] } | null> {
  const settlement = await selectSettlement(app.db, id);
  return settlement === null ? null : { settlement, differences: await selectDifferences(app.db, id) };
}

/** The files, the newest first, each with how many of its differences are open. */
export function listSettlements(app: App, limit: number) {
  return selectSettlements(app.db, limit);
}
