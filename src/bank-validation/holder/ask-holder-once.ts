import type { App } from '../../app.ts';
import type { Tx } from '../../db/database.ts';
import { withinTime } from '../../lib/within-time.ts';
import type { HolderAnswer, ValidationProvider } from '../../validation-providers/validation-provider.ts';
import {
  completeValidation,
  deleteValidation,
  insertValidations,
  postponeValidation,
  type ValidationRow,
} from '../bank-validation-queries.ts';
import type { Validation } from '../stored-validation.ts';
import type { Draft } from '../validation-draft.ts';
import { ASK_AGAIN_MS, answeredParts, PATIENCE_MS, pendingRow, TAKE_OVER_MS } from './ask-holder.ts';
import { isMiss } from './holder-checks.ts';
import { refundProviderBudget, refusal, reserveProviderBudget } from './provider-budget.ts';
import { settleValidation } from './settle-validations.ts';

/**
 * Inserts an idempotency key for a validation, in the transaction that stores it. Returns false if another request has
 * the key.
 */
export type Claim = (tx: Tx, validationId: string) => Promise<boolean>;

/**
 * Asks the provider a question that must not be asked twice. The pending validation and its key are committed before
 * the provider is called. Afterwards the same key always finds the same question. If it is asked again, it has the same
 * id, which is the provider's idempotency key.
 *
 * Returns null if another request has the key. Throws `Problem` RATE_LIMITED; then neither validation nor key is
 * stored.
 */
export async function askHolderOnce(
  app: App,
  provider: ValidationProvider,
  draft: Draft,
  claim: Claim,
): Promise<Validation | null> {
  // A question has a RUT here: with a wrong RUT the verdict is already `invalid`.
  const rutHash = draft.rutHash as string;
  await reserveProviderBudget(app, draft.actor, rutHash);
  const pending = pendingRow(app, provider, draft, TAKE_OVER_MS);
  const claimed = await app.db.transaction(async (tx) => {
    const first = await claim(tx, pending.row.id);
    if (first) await insertValidations(tx, [pending.row]);
    else await refundProviderBudget(app, tx, draft.actor, rutHash, 'all');
    return first;
  });
  if (!claimed) return null;

  const asked = provider.ask(draft.question).catch((): HolderAnswer => ({ kind: 'unavailable' }));
  const answer = await withinTime(asked, PATIENCE_MS).catch(() => null);
  if (answer === null) {
    void asked
      .then((late) => settleValidation(app, pending.row, late))
      .catch((error: unknown) => app.log.error({ err: error }, 'a late answer could not be kept'));
    return pending.validation;
  }
  if (answer.kind === 'pending') {
    await app.db.transaction((tx) => postponeValidation(tx, pending.row.id, app.now() + ASK_AGAIN_MS));
    return pending.validation;
  }
  if (answer.kind === 'rate_limited') {
    await app.db.transaction(async (tx) => {
      await deleteValidation(tx, pending.row.id);
      await refundProviderBudget(app, tx, draft.actor, rutHash);
    });
    throw await refusal(app, draft.actor, app.now(), answer.retryAfterSeconds * 1000);
  }
  return complete(app, provider, draft, pending.row, answer);
}

async function complete(
  app: App,
  provider: ValidationProvider,
  draft: Draft,
  pending: ValidationRow,
  answer: HolderAnswer,
): Promise<Validation> {
  const { validation, row } = answeredParts(app, provider, draft, answer);
  await app.db.transaction(async (tx) => {
    // The person may have been erased meanwhile; then nothing is stored.
    if (!(await completeValidation(tx, row))) return;
    if (!isMiss(answer)) await refundProviderBudget(app, tx, draft.actor, pending.rut_hash as string);
  });
  app.metrics.validations.inc({ verdict: validation.verdict });
  return validation;
}
