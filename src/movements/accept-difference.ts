import type { App } from '../app.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { addUp } from '../lib/exact-sum.ts';
import type { Acceptance, KeptDifference, KeptSettlement } from './settlement.ts';
import {
  lockSettlement,
  selectDifferences,
  selectSettlement,
  selectSettlements,
  updateAccepted,
} from './settlement-queries.ts';

/**
 * Accepts differences, with a reason that stays. It moves no money. Answers how many; 0: nothing of it is open, or the file was compared
 * again, and the later comparison is the one that counts.
 */
export function acceptDifferences(app: App, acceptance: Acceptance): Promise<number> {
  const { settlementId, reason, by } = acceptance;
  const at = app.now();
  return app.db.transaction(async (tx) => {
    if (!(await lockSettlement(tx, settlementId))) return 0;
    const accepted = await updateAccepted(tx, acceptance, { at, name: by.name, reason });
    if (accepted.length === 0) return 0;
    const amount = addUp(accepted.map(({ settled, booked }) => (settled ?? 0) - (booked ?? 0)));
    await recordAudit(tx, {
      at,
      by,
      action: 'settlement.accepted',
      subject: { kind: 'settlement', id: settlementId },
      after: {
        cause: [...new Set(accepted.map(({ cause }) => cause))].join(', '),
        differences: accepted.length,
        ...(accepted.length === 1 && { number: accepted[0]?.number ?? null, line: accepted[0]?.file_line ?? null }),
        amount: String(amount),
        currency: accepted[0]?.currency ?? '',
      },
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

/** The files, the newest first, each with how many of its differences are open; all, or those alone that have some. */
export function listSettlements(app: App, limit: number, openOnly = false) {
  return selectSettlements(app.db, limit, openOnly);
}
