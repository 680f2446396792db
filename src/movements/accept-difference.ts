import type { App } from '../app.ts';
import { type AuditValues, recordAudit } from '../audit/record-audit.ts';
import { addUp } from '../lib/exact-sum.ts';
import { formatMoney } from '../lib/money.ts';
import type { Acceptance, KeptDifference, KeptSettlement } from './settlement.ts';
import { lockSettlement, selectDifferences, selectSettlement, updateAccepted } from './settlement-queries.ts';

/**
 * Accepts differences and stores the reason. Moves no money. Returns how many were accepted; 0 if none of them is open,
 * or the file was compared again (then only the later comparison counts).
 */
export function acceptDifferences(app: App, acceptance: Acceptance): Promise<number> {
  const { settlementId, reason, by } = acceptance;
  const at = app.now();
  return app.db.transaction(async (tx) => {
    if (!(await lockSettlement(tx, settlementId))) return 0;
    const accepted = await updateAccepted(tx, acceptance, { at, name: by.name, reason });
    if (accepted.length === 0) return 0;
    await recordAudit(tx, {
      at,
      by,
      action: 'settlement.accepted',
      subject: { kind: 'settlement', id: settlementId },
      after: sayAccepted(accepted),
      reason,
    });
    return accepted.length;
  });
}

/** Returns accepted differences as the audit log records them. */
export function sayAccepted(accepted: readonly KeptDifference[]): AuditValues {
  const sums = [...Map.groupBy(accepted, ({ currency }) => currency)].map(
    ([currency, of]) => [addUp(of.map(({ settled, booked }) => (settled ?? 0) - (booked ?? 0))), currency] as const,
  );
  const [[amount, currency] = [0, ''], ...others] = sums;
  return {
    cause: [...new Set(accepted.map(({ cause }) => cause))].join(', '),
    differences: accepted.length,
    ...(accepted.length === 1 && { number: accepted[0]?.number ?? null, line: accepted[0]?.file_line ?? null }),
    ...(others.length === 0
      ? { amount: String(amount), currency }
      : { amounts: sums.map(([sum, of]) => formatMoney(sum, of)).sort() }),
  };
}

/** Returns a file with its differences, or null. */
export async function showSettlement(
  app: App,
  id: string,
): Promise<{ settlement: KeptSettlement; differences: KeptDifference[] } | null> {
  const settlement = await selectSettlement(app.db, id);
  return settlement === null ? null : { settlement, differences: await selectDifferences(app.db, id) };
}
