import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { fromKeptKey } from '../sealing/kept-key.ts';

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

export const IDENTITY_KEY = 'bank-validation-identity';

/**
 * Returns the hashes of this installation: HMAC-SHA256, cut to 128 bits, 32 hex digits.
 *
 * The key is derived from MASTER_KEY at the first start and then stored sealed. With a new key, older data could not be
 * found for its person: the hashes cannot be computed again, because the RUTs are not stored.
 */
export const identityHashes = fromKeptKey(IDENTITY_KEY, hashesWith);

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
