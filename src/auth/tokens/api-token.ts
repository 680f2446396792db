import { createHmac, hash } from 'node:crypto';
import { randomToken } from '../../lib/ids.ts';
import { isSameText } from '../../lib/same-text.ts';
import { fromKeptKey } from '../../sealing/kept-key.ts';

/** Returns a token with 256 random bits. The prefix lets people and secret scanners recognize it. */
export function generateApiToken(): string {
  return `api_${randomToken(32)}`;
}

/**
 * The stored hashes of a token, computed from its digest (`digestOf`): `lookup` finds the row; `proof` is bound to the
 * row.
 */
export type ApiTokenHashes = {
  lookup(digest: string): string;
  proof(digest: string, owner: { id: string; user_id: string }): string;
};

/** Returns the SHA-256 of a token: the input of the keyed hashes, and the stored form in earlier versions. */
export function digestOf(apiToken: string): string {
  return hash('sha256', apiToken, 'base64url');
}

/** Returns whether a holder of the key made the row for this token. */
export function provesToken(
  hashes: ApiTokenHashes,
  digest: string,
  row: { id: string; user_id: string; proof: string },
): boolean {
  return isSameText(hashes.proof(digest, row), row.proof);
}

export const API_TOKEN_KEY = 'api-token';

/**
 * Returns the keyed hashes of API tokens in this store. The key is derived from MASTER_KEY at the first start and then
 * stored sealed, so that tokens still work after MASTER_KEY is replaced.
 */
export const apiTokenHashes = fromKeptKey(API_TOKEN_KEY, hashesWith);

/** Returns the hashes for a key of 64 hexadecimal digits. */
export function hashesWith(keyText: string): ApiTokenHashes {
  const hash = (text: string) => createHmac('sha256', Buffer.from(keyText, 'hex')).update(text).digest('base64url');
  return {
    lookup: (digest) => hash(`lookup\n${digest}`),
    proof: (digest, { id, user_id }) => hash(`proof\n${id}\n${user_id}\n${digest}`),
  };
}
