import { randomBytes } from 'node:crypto';
import { signatureMatches, signingKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import { cachedEnvironment, loadEnvironment } from './find-environment.ts';
import { noteSecretUse } from './note-secret-use.ts';
import type { ServiceEnvironment } from './payment-service.ts';

/** Stands in for the key of an account that does not exist, so that its refusal takes the same work. */
const decoyKey = signingKey(randomBytes(32).toString('hex'));

/**
 * The environment whose Secret Token made this signature, or null.
 *
 * An unknown account and a wrong signature cost the same: one look into the store, past the cache, one seal that is opened, and
 * two HMACs. That look also makes a token that was created or rotated a moment ago work at once.
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
