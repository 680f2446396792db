import type { App } from '../../app.ts';
import { withinTime } from '../../lib/within-time.ts';
import type { HolderAnswer, ValidationProvider } from '../../validation-providers/validation-provider.ts';
import { insertValidations, type ValidationRow } from '../bank-validation-queries.ts';
import type { Validation } from '../stored-validation.ts';
import { type Draft, rowOf } from '../validation-draft.ts';
import { holderChecks, isMiss, providerLabel } from './holder-checks.ts';
import { refundProviderBudget, refusal, reserveProviderBudget } from './provider-budget.ts';
import { sealQuestion } from './seal-question.ts';
import { settleValidation } from './settle-validations.ts';

/** How long a caller waits for the provider before the response is 202. */
export const PATIENCE_MS = 1_500;
/** When a provider that answered `pending` is asked again. */
export const ASK_AGAIN_MS = 1_000;
/** When another replica asks again if this process dies. Longer than a provider may take. */
export const TAKE_OVER_MS = 60_000;

/**
 * Asks the online provider, within the budget, and stores the result.
 *
 * If the answer comes in time, the validation contains it. Otherwise the validation is `pending` and its question is
 * stored sealed until the answer, so that any replica can ask again. Throws `Problem` RATE_LIMITED.
 */
export async function askHolder(app: App, provider: ValidationProvider, draft: Draft): Promise<Validation> {
  // A question has a RUT here: with a wrong RUT the verdict is already `invalid`.
  await reserveProviderBudget(app, draft.actor, draft.rutHash as string);
  return askPaidFor(app, provider, draft);
}

/** Does the same for a question whose price the caller has taken from the budget. */
export async function askPaidFor(app: App, provider: ValidationProvider, draft: Draft): Promise<Validation> {
  const { actor, question } = draft;
  const rutHash = draft.rutHash as string;
  const asked = provider.ask(question).catch((): HolderAnswer => ({ kind: 'unavailable' }));
  const answer = await withinTime(asked, PATIENCE_MS).catch(() => null);
  if (answer === null) {
    const pending = await keepPending(app, provider, draft, TAKE_OVER_MS);
    void asked
      .then((late) => settleValidation(app, pending.row, late))
      .catch((error: unknown) => app.log.error({ err: error }, 'a late answer could not be kept'));
    return pending.validation;
  }
  if (answer.kind === 'pending') return (await keepPending(app, provider, draft, ASK_AGAIN_MS)).validation;
  if (answer.kind === 'rate_limited') {
    await app.db.transaction((tx) => refundProviderBudget(app, tx, actor, rutHash));
    throw await refusal(app, actor, app.now(), answer.retryAfterSeconds * 1000);
  }
  return keepAnswered(app, provider, draft, rutHash, answer);
}

async function keepAnswered(
  app: App,
  provider: ValidationProvider,
  draft: Draft,
  rutHash: string,
  answer: HolderAnswer,
): Promise<Validation> {
  const { validation, row } = answeredParts(app, provider, draft, answer);
  await app.db.transaction(async (tx) => {
    await insertValidations(tx, [row]);
    if (!isMiss(answer)) await refundProviderBudget(app, tx, draft.actor, rutHash);
  });
  app.metrics.validations.inc({ verdict: validation.verdict });
  return validation;
}

async function keepPending(
  app: App,
  provider: ValidationProvider,
  draft: Draft,
  delayMs: number,
): Promise<{ validation: Validation; row: ValidationRow }> {
  const pending = pendingRow(app, provider, draft, delayMs);
  await app.db.transaction((tx) => insertValidations(tx, [pending.row]));
  return pending;
}

/** Returns a validation with the provider's answer, and its row. */
export function answeredParts(
  app: App,
  provider: ValidationProvider,
  draft: Draft,
  answer: HolderAnswer,
): { validation: Validation; row: ValidationRow } {
  const answeredAt = app.now();
  const label = providerLabel(provider);
  const { validation, row } = rowOf(draft, holderChecks(label, answer, answeredAt));
  const expiresAt = 'expiresAt' in answer ? answer.expiresAt : null;
  const detail = answer.kind === 'no_match' ? answer.detail : null;
  return {
    validation: { ...validation, expiresAt, validatedAt: answeredAt },
    row: { ...row, provider: label, provider_detail: detail, answered_at: answeredAt, expires_at: expiresAt },
  };
}

/** Returns a validation whose provider has not answered, and its row. Any replica asks again after `delayMs`. */
export function pendingRow(
  app: App,
  provider: ValidationProvider,
  draft: Draft,
  delayMs: number,
): { validation: Validation; row: ValidationRow } {
  const label = providerLabel(provider);
  const { validation, row } = rowOf(draft, holderChecks(label, { kind: 'pending' }, null));
  return {
    validation: { ...validation, state: 'pending' },
    row: {
      ...row,
      state: 'pending',
      provider: label,
      next_ask_at: app.now() + delayMs,
      asks: 1,
      sealed_question: sealQuestion(app, row.actor, draft.question),
    },
  };
}
