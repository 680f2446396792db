import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { type AccountInput, runOfflineChecks } from './account-checks.ts';
import { insertKey, selectKey } from './bank-validation-queries.ts';
import { currentDirectory } from './current-directory.ts';
import { findValidation } from './find-validation.ts';
import { identityHashes } from './identity-hash.ts';
import type { Validation } from './stored-validation.ts';
import { type ValidationActor, validateBankAccount } from './validate-bank-account.ts';

/** How long a key answers with its first result. */
export const KEY_LIFETIME_MS = 86_400_000;

export type OnceOutcome = { validation: Validation; replayed: boolean };

/**
 * Validates an account, or answers what the same request with the same idempotency key was answered before, as it
 * stands now. Without a key every request is a new one.
 *
 * Throws `Problem` IDEMPOTENCY_KEY_REUSED where the key belongs to another request, and what `validateBankAccount`
 * throws.
 */
export async function validateOnce(
  app: App,
  actor: ValidationActor,
  input: AccountInput,
  key: string | null,
): Promise<OnceOutcome> {
  if (key === null) return { validation: await validateBankAccount(app, actor, input), replayed: false };
  const hashes = await identityHashes(app);
  const requestHash = hashes.ofRequest(JSON.stringify([input.rut, input.bankCode, input.account]));
  const before = await replay(app, actor, input, key, requestHash);
  if (before !== null) return before;

  const validation = await validateBankAccount(app, actor, input);
  const now = app.now();
  const row = { actor: actor.id, key, request_hash: requestHash, validation_id: validation.id, created_at: now };
  const first = await app.db.transaction((tx) => insertKey(tx, row, now - KEY_LIFETIME_MS));
  // Two requests at once were both carried out; both are answered with the result of the one that was kept first.
  return (first ? null : await replay(app, actor, input, key, requestHash)) ?? { validation, replayed: false };
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
  if (validation === null) return null;
  // What the record does not keep, the request has brought again.
  const { rut, suggestions } = runOfflineChecks(input, await currentDirectory(app));
  return { validation: { ...validation, rut, suggestions }, replayed: true };
}
