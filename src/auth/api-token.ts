import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { randomToken } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import { keepKey, readKeptKey } from '../sealing/kept-key.ts';

/** 256 random bits. The prefix is for people and scanners that come across one. */
export function generateApiToken(): string {
  return `api_${randomToken(32)}`;
}

/** The stored hashes of a token, made of its digest (`digestOf`): `lookup` finds the row, and `proof` is of its row alone. */
export type ApiTokenHashes = {
  lookup(digest: string): string;
  proof(digest: string, owner: { id: string; user_id: string }): string;
};

/** SHA-256 of a token: what was stored before hashes were keyed, and what they are made of. */
export function digestOf(apiToken: string): string {
  return createHash('sha256').update(apiToken).digest('base64url');
}

/** Whether a row was made for this token by somebody who has the key. */
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
 * The keyed hashes of API tokens in this store. The key is derived from MASTER_KEY at the first start and kept sealed from
 * then on, so that programs keep their tokens when MASTER_KEY is replaced.
 */
export function apiTokenHashes(app: App): Promise<ApiTokenHashes> {
  const cache = caches(app);
  // Callers that come while it is read share the reading. One that failed is not kept.
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

// Nobody could tell which of the two keys it would be derived from until then.
/** Why a store whose master key is being replaced cannot have its first key made. */
export const START_FIRST =
  'Before its master key can be replaced, this store must have been served once by this version: start it without MASTER_KEY_PREVIOUS and with the MASTER_KEY that it has had.';

/** The hashes with the key of this text, 64 hexadecimal digits. */
export function hashesWith(keyText: string): ApiTokenHashes {
  const hash = (text: string) => createHmac('sha256', Buffer.from(keyText, 'hex')).update(text).digest('base64url');
  return {
    lookup: (digest) => hash(`lookup\n${digest}`),
    proof: (digest, { id, user_id }) => hash(`proof\n${id}\n${user_id}\n${digest}`),
  };
}
