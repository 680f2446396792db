import type { App } from '../app.ts';
import { deleteKeysBefore, deleteValidationsBefore } from './bank-validation-queries.ts';
import { FULL_AFTER_MS, utcDayOf } from './holder/provider-budget.ts';
import { deleteBudgetsBefore, deleteQuestionsBefore } from './holder/provider-budget-queries.ts';
import { KEY_LIFETIME_MS } from './validate-once.ts';
import { firstIdAt } from './validation-draft.ts';

const DAY_MS = 86_400_000;

/** Deletes expired data, at most `limit` validations per call. Returns how many validations it deleted. */
export function deleteOldValidations(app: App, limit: number): Promise<number> {
  const now = app.now();
  return app.db.transaction(async (tx) => {
    await deleteQuestionsBefore(tx, utcDayOf(now));
    await deleteBudgetsBefore(tx, now - FULL_AFTER_MS);
    await deleteKeysBefore(tx, now - KEY_LIFETIME_MS);
    return deleteValidationsBefore(tx, firstIdAt(now - app.config.retentionDays.validations * DAY_MS), limit);
  });
}
