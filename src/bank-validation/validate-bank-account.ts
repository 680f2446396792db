import type { App } from '../app.ts';
import { createBatcher } from '../lib/batcher.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { ValidationProvider } from '../validation-providers/validation-provider.ts';
import { type AccountInput, checksNotPerformed, runOfflineChecks } from './account-checks.ts';
import { insertValidations, type ValidationRow } from './bank-validation-queries.ts';
import { verdictOf } from './check.ts';
import { currentDirectory } from './directory/current-directory.ts';
import { askHolder } from './holder/ask-holder.ts';
import { NO_PROVIDER_CHECKS, providerLabel, providerProvenance } from './holder/holder-checks.ts';
import type { Validation } from './stored-validation.ts';
import { type Draft, draftValidation, rowOf } from './validation-draft.ts';

/** The actor of a validation: a user's id, or `COMMAND_LINE`. */
export type ValidationActor = { readonly id: string };

/** The actor of `bin/rubrica validate`. No user can read its validations as their own. */
export const COMMAND_LINE: ValidationActor = { id: 'command-line' };

/**
 * Validates a bank account. Resolves when the validation is stored durably.
 *
 * Any three values get checks and a verdict; `state` is `pending` while an online provider is still checking. Throws
 * `Problem` RATE_LIMITED if the budget of questions is spent, and `StorageError` or `BatcherFullError` if nothing was
 * stored.
 */
export async function validateBankAccount(app: App, actor: ValidationActor, input: AccountInput): Promise<Validation> {
  const plan = await planValidation(app, actor, input);
  if (plan.provider !== null) return askHolder(app, plan.provider, plan.draft);
  await batchers(app).submit(plan.row);
  app.metrics.validations.inc({ verdict: plan.validation.verdict });
  return plan.validation;
}

/** The next step of a validation: ask its provider, or store the known result. */
export type Plan =
  | { readonly provider: ValidationProvider; readonly draft: Draft }
  | { readonly provider: null; readonly validation: Validation; readonly row: ValidationRow };

/** Runs the checks that need no provider. Stores nothing. */
export async function planValidation(app: App, actor: ValidationActor, input: AccountInput): Promise<Plan> {
  const directory = await currentDirectory(app);
  const findings = runOfflineChecks(input, directory, app.config.unknownBank);
  const draft = await draftValidation(app, actor.id, input, findings, directory);
  const provider = app.validationProvider;
  if (provider === null || !provider.covers(draft.question)) {
    return { provider: null, ...rowOf(draft, NO_PROVIDER_CHECKS) };
  }
  // Without a RUT there is no question, even if one of its readings may be right.
  if (draft.rutHash !== null && verdictOf(draft.findings.checks) !== 'invalid') return { provider, draft };
  const label = providerLabel(provider);
  const { validation, row } = rowOf(draft, checksNotPerformed('PREREQUISITE_FAILED', providerProvenance(label, null)));
  // The stored row names the provider that was not asked, so that reading it again gives the same checks.
  return { provider: null, validation, row: { ...row, provider: label } };
}

// Validations that arrive during a commit share the next one.
const batchers = perInstance((app: App) => {
  const batcher = createBatcher<ValidationRow, void>({
    maxBatch: 256,
    maxQueued: 4096,
    maxWaitMs: 2_000,
    concurrency: 1,
    flush: async (rows) => {
      await app.db.transaction((tx) => insertValidations(tx, rows));
      return rows.map(() => undefined);
    },
  });
  return app.metrics.watchQueue('validations', batcher);
});
