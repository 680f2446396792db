import { computeSignature, signingKey } from '../../sdk/src/hmac.ts';
import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';

/**
 * Keyed hashes under which a validation is kept and found again. A RUT has only some ten million values, so without
 * the key every plain hash could be undone by trying them all.
 */
export type IdentityHashes = {
  /** Of a canonical RUT. */
  ofRut(rut: string): string;
  /** Of an account at a bank; padding with zeros makes no difference. */
  ofAccount(bankCode: string, account: string): string;
  /** Of a request as it was sent, right or wrong. */
  ofRequest(request: string): string;
};

/** The hashes of this installation: HMAC-SHA256 with a key derived from MASTER_KEY, cut to 128 bits, 32 hex digits. */
export const identityHashes: (app: App) => IdentityHashes = perInstance((app) => {
  const key = signingKey(deriveKey(app.config.masterKey, 'bank-validation-identity').toString('hex'));
  const hash = (text: string) => computeSignature(text, key).slice(0, 32);
  return {
    ofRut: (rut) => hash(`rut:${rut}`),
    ofAccount: (bankCode, account) => hash(`account:${bankCode}:${account.replace(/^0+/, '')}`),
    ofRequest: (request) => hash(`request:${request}`),
  };
});
