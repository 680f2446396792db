import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { type AccountInput, runOfflineChecks } from './account-checks.ts';
import { deleteValidation, insertKey, insertValidations, selectKey } from './bank-validation-queries.ts';
import { currentDirectory } from './directory/current-directory.ts';
import { findValidation } from './find-validation.ts';
import { askHolderOnce, type Claim } from './holder/ask-holder-once.ts';
import { identityHashes } from './identity-hash.ts';
import type { Validation } from './stored-validation.ts';
import { type Plan, planValidation, type ValidationActor, validateBankAccount } from './validate-bank-account.ts';

/** How long a key returns its first result. */
export const KEY_LIFETIME_MS = 86_400_000;

export type OnceOutcome = { validation: Validation; replayed: boolean };

/**
 * Validates an account. The same request with the same idempotency key returns the current state of its first
 * validation. Without a key, every request is new. With a key, the validation and the key are committed together before
 * a provider is asked, so a retry after a crash finds the pending question and asks no other.
 *
 * Throws `Problem` IDEMPOTENCY_KEY_REUSED if the key belongs to another request, and the errors of
 * `validateBankAccount`.
 */
export async function validateOnce(
  app: App,
  actor: ValidationActor,
  input: AccountInput,
  key: string | null,
): Promise<OnceOutcome> {
  if (key === null) return { validation: await validateBankAccount(app, actor, input), replayed: false };
  const hashes = await identityHashes(app);
  const requestHash = hashes.ofRequest(requestText(input));
  const before = await replay(app, actor, input, key, requestHash);
  if (before !== null) return before;

  const plan = await planValidation(app, actor, input);
  const now = app.now();
  const claim: Claim = (tx, id) => {
    const row = { actor: actor.id, key, request_hash: requestHash, validation_id: id, created_at: now };
    return insertKey(tx, row, now - KEY_LIFETIME_MS);
  };
  const validation =
    plan.provider === null
      ? await keepKnown(app, plan, claim)
      : await askHolderOnce(app, plan.provider, plan.draft, claim);
  // Another request inserted the key first; the next call returns its result.
  return validation === null ? validateOnce(app, actor, input, key) : { validation, replayed: false };
}

/** Stores a validation that needs no provider. Returns null if another request has the key. */
async function keepKnown(
  app: App,
  { row, validation }: Extract<Plan, { provider: null }>,
  claim: Claim,
): Promise<Validation | null> {
  const claimed = await app.db.transaction(async (tx) => {
    const first = await claim(tx, row.id);
    if (first) await insertValidations(tx, [row]);
    return first;
  });
  if (!claimed) return null;
  app.metrics.validations.inc({ verdict: validation.verdict });
  return validation;
}

async function replay(
  app: App,
  actor: ValidationActor,
  input: AccountInput,
  key: string,
  requestHash: string,
): Promise<OnceOutcome | null> {
  const known = await selectKey(app.db, actor.id, key, app.now() - KEY_LIFETIME_MS);
  if (known === null) return null;
  if (known.request_hash !== requestHash) throw new Problem('IDEMPOTENCY_KEY_REUSED');
  const validation = await findValidation(app, actor, known.validation_id);
  if (validation === null) {
    // The validation was deleted. Its key is deleted too, because it would otherwise block requests for a day.
    await app.db.transaction((tx) => deleteValidation(tx, known.validation_id));
    return null;
  }
  // The request has the values that are not stored.
  const { rut, readings, suggestions } = runOfflineChecks(input, await currentDirectory(app));
  return { validation: { ...validation, rut, readings, suggestions }, replayed: true };
}

/**
 * Returns a request as text. Omits missing optional members, so that requests without them keep the text of earlier
 * versions.
 */
function requestText({ rut, bankCode, account, rutFormat = null, holderName = null }: AccountInput): string {
  const others = { ...(rutFormat !== null && { rutFormat }), ...(holderName !== null && { holderName }) };
  return JSON.stringify([rut, bankCode, account, ...(Object.keys(others).length === 0 ? [] : [others])]);
}
