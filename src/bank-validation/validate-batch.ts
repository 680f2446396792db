import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { createBatcher } from '../lib/batcher.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { AccountInput } from './account-checks.ts';
import { insertValidations, type ValidationRow } from './bank-validation-queries.ts';
import { askPaidFor } from './holder/ask-holder.ts';
import { NO_PROVIDER_CHECKS } from './holder/holder-checks.ts';
import { refusal, takeProviderBudget } from './holder/provider-budget.ts';
import type { Validation } from './stored-validation.ts';
import { type Plan, planValidation, type ValidationActor } from './validate-bank-account.ts';
import { type Draft, rowOf } from './validation-draft.ts';

export type BatchResult = { readonly validation: Validation } | { readonly problem: Problem };

/** How long a batch may wait in all for its own questions to return what they hold of the budget. */
const PATIENCE_MS = 30_000;

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
  return askAll(app, plans);
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

/**
 * Asks one question after the other without waiting for the answers. Each holds the price of a mismatch, and its answer
 * returns most of it. So if the budget is spent, the next question waits until one of these has ended.
 */
async function askAll(app: App, plans: readonly Plan[]): Promise<BatchResult[]> {
  const results: Promise<BatchResult>[] = [];
  const underWay = new Set<Promise<unknown>>();
  const until = performance.now() + PATIENCE_MS;
  for (const plan of plans) {
    const refused = plan.provider === null ? null : await refuseSpent(app, plan.draft, underWay, until);
    const result = refused === null ? resultOf(app, plan) : Promise.resolve(refused);
    results.push(result);
    const ended: Promise<unknown> = result.catch(() => null).then(() => underWay.delete(ended));
    underWay.add(ended);
  }
  return Promise.all(results);
}

/** Takes the price of a question. Returns null if it may be asked; otherwise the result of its account. */
async function refuseSpent(
  app: App,
  { actor, rutHash }: Draft,
  underWay: ReadonlySet<Promise<unknown>>,
  until: number,
): Promise<BatchResult | null> {
  try {
    for (;;) {
      // A question has a RUT here: with a wrong RUT the verdict is already `invalid`.
      const spent = await takeProviderBudget(app, actor, rutHash as string);
      if (spent === null) return null;
      const mayReturn = spent.isHeld && underWay.size > 0 && performance.now() < until;
      if (!mayReturn) return { problem: await refusal(app, actor, app.now(), spent.waitMs) };
      await Promise.race(underWay);
    }
  } catch (error) {
    return problemOf(error);
  }
}

async function resultOf(app: App, plan: Plan): Promise<BatchResult> {
  if (plan.provider === null) return { validation: plan.validation };
  try {
    return { validation: await askPaidFor(app, plan.provider, plan.draft) };
  } catch (error) {
    return problemOf(error);
  }
}

/** Returns the refusal of one account. Throws any other error. */
function problemOf(error: unknown): { problem: Problem } {
  if (error instanceof Problem) return { problem: error };
  if (error instanceof StorageError) return { problem: new Problem(error.code) };
  throw error;
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
