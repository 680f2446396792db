import type { App } from '../app.ts';
import { sealedKeyId } from '../lib/seal.ts';
import { keysOf, openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import { selectNewestSecret } from './payment-service-queries.ts';

export const SECRET_TOKENS: SealedKind = {
  name: 'secret-tokens',
  label: 'secret-token-of-environment',
  table: 'secret_tokens',
  column: 'sealed',
  key: ['id'],
  owner: ['environment_id'],
  where: '1 = 1',
  place: ({ id, environment_id }) => `secret_tokens/${id}/${environment_id}`,
  unbound: { label: 'secret-token', place: ({ id }) => `secret_tokens/${id}` },
};

/** A row of secret_tokens and its environment. The seal binds both. */
type SecretPlace = { id: string; environment_id: number };

/** Encrypts a Secret Token for its row and its environment. */
export function sealSecret(app: App, place: SecretPlace, secretToken: string): string {
  return sealAs(app, SECRET_TOKENS, place, secretToken);
}

/**
 * Decrypts a Secret Token. Throws if the text was changed, moved to another row or environment, or sealed with another
 * MASTER_KEY.
 */
export function openSecret(app: App, place: SecretPlace, sealed: string): string {
  return openAs(app, SECRET_TOKENS, place, sealed);
}

/**
 * Returns whether the current or the previous master key encrypted the newest Secret Token; true if there is no Secret
 * Token. It compares only the id of the key, so it does not notice a damaged Secret Token. `unbound`: accepts the form
 * of an earlier version too, which is right until `bindSeals`.
 */
export async function opensSecrets(app: App, { unbound = false } = {}): Promise<boolean> {
  const newest = await selectNewestSecret(app.db);
  const keyId = newest === null ? null : sealedKeyId(newest.sealed);
  const forms = unbound ? [SECRET_TOKENS, { ...SECRET_TOKENS, ...SECRET_TOKENS.unbound }] : [SECRET_TOKENS];
  return (
    keyId === null ||
    forms.some((form) => {
      const { current, previous } = keysOf(app, form);
      return keyId === current.id || keyId === previous?.id;
    })
  );
}
