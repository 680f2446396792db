import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { randomToken } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import { keepKey, readKeptKey } from '../sealing/kept-key.ts';

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
  const [expected, actual] = [hashes.proof(digest, row), row.proof].map((text) => Buffer.from(text));
  return (
    expected !== undefined &&
    actual !== undefined &&
    expected.length === actual.length &&
    timingSafeEqual(expected, actual)
  );
}

export const API_TOKEN_KEY = 'api-token';

const caches = perInstance((_app: App): { hashes: Promise<ApiTokenHashes> | null } => ({ hashes: null }));

/**
 * Returns the keyed hashes of API tokens in this store. The key is derived from MASTER_KEY at the first start and then
 * stored sealed, so that tokens still work after MASTER_KEY is replaced.
 */
export function apiTokenHashes(app: App): Promise<ApiTokenHashes> {
  const cache = caches(app);
  // Concurrent calls share one reading; a failed one is not cached.
  cache.hashes ??= readHashes(app).catch((error: unknown) => {
    cache.hashes = null;
    throw error;
  });
  return cache.hashes;
}

async function readHashes(app: App): Promise<ApiTokenHashes> {
  const key = await readKeptKey(app, API_TOKEN_KEY);
  if (key !== null) return hashesWith(key);
  if (app.config.masterKeyPrevious !== null) throw new ConfigError(START_FIRST);
  return hashesWith(await keepKey(app, API_TOKEN_KEY));
}

// It would be unknown which of the two master keys the key must be derived from.
/** Why a store cannot make its first key while its master key is being replaced. */
export const START_FIRST =
  'Before its master key can be replaced, this store must have been served once by this version: start it without MASTER_KEY_PREVIOUS and with the MASTER_KEY that it has had.';

/** Returns the hashes for a key of 64 hexadecimal digits. */
export function hashesWith(keyText: string): ApiTokenHashes {
  const hash = (text: string) => createHmac('sha256', Buffer.from(keyText, 'hex')).update(text).digest('base64url');
  return {
    lookup: (digest) => hash(`lookup\n${digest}`),
    proof: (digest, { id, user_id }) => hash(`proof\n${id}\n${user_id}\n${digest}`),
  };
}
