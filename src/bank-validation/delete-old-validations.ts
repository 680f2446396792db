import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deleteKeysBefore, deleteValidationsBefore } from './bank-validation-queries.ts';
import { dayOf, FULL_AFTER_MS } from './holder/provider-budget.ts';
import { deleteBudgetsBefore, deleteQuestionsBefore } from './holder/provider-budget-queries.ts';
import { KEY_LIFETIME_MS } from './validate-once.ts';
import { firstIdAt } from './validation-draft.ts';

const DAY_MS = 86_400_000;
const INTERVAL_MS = 3_600_000;

const schedules = perInstance((_app: App) => ({ nextAt: 0 }));

/**
 * Deletes expired data once an hour, at most `limit` validations per call; continues until nothing is left. Returns how
 * many validations it deleted.
 */
export async function deleteOldValidations(app: App, limit: number): Promise<number> {
  const schedule = schedules(app);
  const now = app.now();
  if (now < schedule.nextAt) return 0;
  const deleted = await app.db.transaction(async (tx) => {
    await deleteQuestionsBefore(tx, dayOf(now));
    await deleteBudgetsBefore(tx, now - FULL_AFTER_MS);
    await deleteKeysBefore(tx, now - KEY_LIFETIME_MS);
    return deleteValidationsBefore(tx, firstIdAt(now - app.config.retentionDays.validations * DAY_MS), limit);
  });
  if (deleted === 0) schedule.nextAt = now + INTERVAL_MS;
  return deleted;
}
