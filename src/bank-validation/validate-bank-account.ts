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

/** The actor who asks. The id of a user, or `COMMAND_LINE`. */
export type ValidationActor = { readonly id: string };

/** Validations made by `bin/rubrica validate` belong to nobody who can log in. */
export const COMMAND_LINE: ValidationActor = { id: 'command-line' };

/**
 * Validates one bank account and resolves when the record of it is durable.
 *
 * Whatever the three values are, they get checks and a verdict; `state` is `pending` while an online provider is still
 * checking. Throws `Problem` RATE_LIMITED when the questions to the provider are used up, and `StorageError` or
 * `BatcherFullError` when nothing could be kept.
 */
export async function validateBankAccount(app: App, actor: ValidationActor, input: AccountInput): Promise<Validation> {
  const plan = await planValidation(app, actor, input);
  if (plan.provider !== null) return askHolder(app, plan.provider, plan.draft);
  await batchers(app).submit(plan.row);
  app.metrics.validations.inc({ verdict: plan.validation.verdict });
  return plan.validation;
}

/** The next step of a validation: its provider is asked, or the known result is kept. */
export type Plan =
  | { readonly provider: ValidationProvider; readonly draft: Draft }
  | { readonly provider: null; readonly validation: Validation; readonly row: ValidationRow };

/** Runs the checks that need no provider. Nothing is kept yet. */
export async function planValidation(app: App, actor: ValidationActor, input: AccountInput): Promise<Plan> {
  const directory = await currentDirectory(app);
  const findings = runOfflineChecks(input, directory, app.config.unknownBank);
  const draft = await draftValidation(app, actor.id, input, findings, directory);
  const provider = app.validationProvider;
  if (provider === null || !provider.covers(draft.question)) {
    return { provider: null, ...rowOf(draft, NO_PROVIDER_CHECKS) };
  }
  // Without a RUT there is nobody to ask about, though another reading of it may be right.
  if (draft.rutHash !== null && verdictOf(draft.findings.checks) !== 'invalid') return { provider, draft };
  const label = providerLabel(provider);
  const { validation, row } = rowOf(draft, checksNotPerformed('PREREQUISITE_FAILED', providerProvenance(label, null)));
  // Read again, it names the provider that was not asked, as it does now.
  return { provider: null, validation, row: { ...row, provider: label } };
}

// As with transactions: what arrives while a commit is under way shares the next one.
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
