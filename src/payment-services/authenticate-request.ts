import { randomBytes } from 'node:crypto';
import { signatureMatches, signingKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import { cachedEnvironment, loadEnvironment } from './find-environment.ts';
import { noteSecretUse } from './note-secret-use.ts';
import type { ServiceEnvironment } from './payment-service.ts';

/** Replaces the key of an unknown account, so that refusing it takes the same work. */
const decoyKey = signingKey(randomBytes(32).toString('hex'));

/**
 * Returns the environment whose Secret Token made this signature, or null.
 *
 * An unknown account and a wrong signature cost the same: one read of the store, past the cache, one decryption and two
 * HMACs. That read also makes a new or rotated token work at once.
 */
export async function authenticateRequest(
  app: App,
  serviceToken: string,
  message: string,
  signature: string,
): Promise<ServiceEnvironment | null> {
  const cached = cachedEnvironment(app, serviceToken);
  if (cached !== null && signedBy(app, cached, message, signature)) return cached;
  if (cached === null) signatureMatches(message, signature, decoyKey);
  const environment = await loadEnvironment(app, serviceToken);
  if (environment === null) {
    signatureMatches(message, signature, decoyKey);
    return null;
  }
  return signedBy(app, environment, message, signature) ? environment : null;
}

function signedBy(app: App, environment: ServiceEnvironment, message: string, signature: string): boolean {
  const now = app.now();
  for (const secret of environment.secrets) {
    if (secret.closesAt !== null && secret.closesAt <= now) continue;
    if (signatureMatches(message, signature, secret.key)) {
      noteSecretUse(app, secret.id);
      return true;
    }
  }
  return false;
}
