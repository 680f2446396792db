import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { createBatcher } from '../lib/batcher.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { AccountInput } from './account-checks.ts';
import { insertValidations, type ValidationRow } from './bank-validation-queries.ts';
import { askHolder } from './holder/ask-holder.ts';
import { NO_PROVIDER_CHECKS } from './holder/holder-checks.ts';
import type { Validation } from './stored-validation.ts';
import { type Plan, planValidation, type ValidationActor } from './validate-bank-account.ts';
import { rowOf } from './validation-draft.ts';

export type BatchResult = { readonly validation: Validation } | { readonly problem: Problem };

/** How many questions run at once; other requests use the provider too. */
const ASKED_AT_ONCE = 250;

/**
 * Validates many accounts and returns the results in the same order.
 *
 * Results that need no provider are stored first, in one commit. If this throws `StorageError` or `BatcherFullError`,
 * nothing of the batch was stored (with OUTCOME_UNKNOWN that is unknown). A later error of one question, such as a
 * spent budget, is only that account's result.
 */
export async function validateBatch(
  app: App,
  actor: ValidationActor,
  inputs: readonly AccountInput[],
): Promise<BatchResult[]> {
  const plans = await Promise.all(inputs.map((input) => planValidation(app, actor, input)));
  const known = plans.filter((plan) => plan.provider === null);
  if (known.length > 0) await batchers(app).submit(known.map(({ row }) => row));
  for (const { validation } of known) app.metrics.validations.inc({ verdict: validation.verdict });
  const results: BatchResult[] = [];
  for (let start = 0; start < plans.length; start += ASKED_AT_ONCE) {
    const some = plans.slice(start, start + ASKED_AT_ONCE);
    results.push(...(await Promise.all(some.map((plan) => resultOf(app, plan)))));
  }
  return results;
}

/** Judges accounts by the rules only, in the same order. Asks no provider and stores nothing. */
export async function judgeBatch(
  app: App,
  actor: ValidationActor,
  inputs: readonly AccountInput[],
): Promise<BatchResult[]> {
  const plans = await Promise.all(inputs.map((input) => planValidation(app, actor, input)));
  return plans.map((plan) => ({
    validation: plan.provider === null ? plan.validation : rowOf(plan.draft, NO_PROVIDER_CHECKS).validation,
  }));
}

async function resultOf(app: App, plan: Plan): Promise<BatchResult> {
  if (plan.provider === null) return { validation: plan.validation };
  try {
    return { validation: await askHolder(app, plan.provider, plan.draft) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    if (error instanceof StorageError) return { problem: new Problem(error.code) };
    throw error;
  }
}

// Each batch is a separate commit, so that single validations run in between.
const batchers = perInstance((app: App) => {
  const batcher = createBatcher<readonly ValidationRow[], void>({
    maxBatch: 1,
    maxQueued: 64,
    maxWaitMs: 2_000,
    concurrency: 1,
    flush: async (batches) => {
      await app.db.transaction((tx) => insertValidations(tx, batches.flat()));
      return batches.map(() => undefined);
    },
  });
  return app.metrics.watchQueue('validation-batches', batcher);
});
