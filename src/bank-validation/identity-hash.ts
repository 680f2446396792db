import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { perInstance } from '../lib/per-instance.ts';
import { keepKey, readKeptKey } from '../sealing/kept-key.ts';

/**
 * Keyed hashes under which a validation is kept and found again. A RUT has only some ten million values, so without
 * the key every plain hash could be undone by trying them all.
 */
export type IdentityHashes = {
  /** Of a canonical RUT. */
  ofRut(rut: string): string;
  /** Of an account at a bank; padding with zeros makes no difference. */
  ofAccount(bankCode: string, account: string): string;
  /** Of an e-mail address, in letters of any case. */
  ofEmail(email: string): string;
  /** Of a request as it was sent, right or wrong. */
  ofRequest(request: string): string;
};

const KEY_NAME = 'bank-validation-identity';

const caches = perInstance((_app: App): { hashes: Promise<IdentityHashes> | null } => ({ hashes: null }));

/**
 * The hashes of this installation: HMAC-SHA256, cut to 128 bits, 32 hex digits.
 *
 * The key is derived from MASTER_KEY at the first start and kept sealed from then on. With a new one nothing that was kept
 * before could be exported or erased for its person: hashes cannot be made anew without the RUTs, and those are not kept.
 */
export function identityHashes(app: App): Promise<IdentityHashes> {
  const cache = caches(app);
  // Calls that come while it is read share the reading. One that failed is not kept.
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

// Nobody could tell which of the two keys the hashes were made with until then.
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
