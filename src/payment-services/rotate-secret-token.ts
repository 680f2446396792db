import type { App } from '../app.ts';
import { randomHex } from '../lib/ids.ts';
import { addSecretToken } from './create-payment-service.ts';
import type { Environment } from './payment-service.ts';
import { closeSecretTokens, selectTokens } from './payment-service-queries.ts';

export type Rotation = { service_token: string; secret_token: string; old_closes_at: number };

/**
 * Gives an environment a new Secret Token. The old one stays valid for `overlapMs` and then closes by itself.
 * Answers null when there is no such payment service.
 */
export async function rotateSecretToken(
  app: App,
  paymentServiceId: string,
  environment: Environment,
  overlapMs: number,
): Promise<Rotation | null> {
  const secretToken = randomHex(32);
  return app.db.transaction(async (tx) => {
    const tokens = await selectTokens(tx, paymentServiceId);
    const current = tokens.find((token) => token.environment === environment);
    if (current === undefined) return null;
    const now = app.now();
    await closeSecretTokens(tx, current.environment_id, now + overlapMs);
    await addSecretToken(app, tx, current.environment_id, secretToken, now);
    return { service_token: current.service_token, secret_token: secretToken, old_closes_at: now + overlapMs };
  });
}
