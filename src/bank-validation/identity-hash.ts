import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { perInstance } from '../lib/per-instance.ts';
import { keepKey, readKeptKey } from '../sealing/kept-key.ts';

/**
 * Keyed hashes that identify the stored data of a RUT, an account or an e-mail address. There are only some ten million
 * RUTs, so hashes without a key could be reversed by trying them all.
 */
export type IdentityHashes = {
  /** Hashes a canonical RUT. */
  ofRut(rut: string): string;
  /** Hashes an account at a bank, without leading zeros. */
  ofAccount(bankCode: string, account: string): string;
  /** Hashes an e-mail address, in lower case. */
  ofEmail(email: string): string;
  /** Hashes a request as sent, right or wrong. */
  ofRequest(request: string): string;
};

const KEY_NAME = 'bank-validation-identity';

const caches = perInstance((_app: App): { hashes: Promise<IdentityHashes> | null } => ({ hashes: null }));

/**
 * Returns the hashes of this installation: HMAC-SHA256, cut to 128 bits, 32 hex digits.
 *
 * The key is derived from MASTER_KEY at the first start and then stored sealed. With a new key, older data could not be
 * found for its person: the hashes cannot be computed again, because the RUTs are not stored.
 */
export function identityHashes(app: App): Promise<IdentityHashes> {
  const cache = caches(app);
  // Concurrent calls share one reading; a failed one is not cached.
  cache.hashes ??= readHashes(app).catch((error: unknown) => {
    cache.hashes = null;
    throw error;
  });
  return cache.hashes;
}

async function readHashes(app: App): Promise<IdentityHashes> {
  const key = await readKeptKey(app, KEY_NAME);
  if (key !== null) return hashesWith(key);
  if (app.config.masterKeyPrevious !== null) throw new ConfigError(START_FIRST);
  return hashesWith(await keepKey(app, KEY_NAME));
}

// Without the stored key, it is unknown which of the two master keys the hashes were made with.
const START_FIRST =
  'Before its master key can be replaced, this store must have been served once by this version: start it without MASTER_KEY_PREVIOUS and with the MASTER_KEY that it has had.';

function hashesWith(keyText: string): IdentityHashes {
  const key = signingKey(keyText);
  const hash = (text: string) => computeSignature(text, key).slice(0, 32);
  return {
    ofRut: (rut) => hash(`rut:${rut}`),
    ofAccount: (bankCode, account) => hash(`account:${bankCode}:${account.replace(/^0+/, '')}`),
    ofEmail: (email) => hash(`email:${email.toLowerCase()}`),
    ofRequest: (request) => hash(`request:${request}`),
  };
}
