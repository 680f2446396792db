import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { randomHex } from '../lib/ids.ts';
import { addSecretToken } from './create-payment-service.ts';
import { changeService } from './find-environment.ts';
import { updateAllEnded } from './handover-queries.ts';
import type { Environment } from './payment-service.ts';
import { closeSecretTokens, lockEnvironmentId, selectTokens, type TokenRow } from './payment-service-queries.ts';

export type Rotation = { service_token: string; secret_token: string; old_closes_at: number };

/**
 * `overlapping`: two Secret Tokens are open already; the older closes at `closesAt` (UTC milliseconds). `replaced`: the
 * Secret Token `secretId` is not the current one.
 */
export type RotationOutcome =
  | { kind: 'rotated'; rotation: Rotation }
  | { kind: 'replaced' }
  | { kind: 'overlapping'; closesAt: number }
  | { kind: 'unknown' };

/**
 * Gives an environment a new Secret Token. The old one stays valid for `overlapMs` and then closes; with 0 every
 * earlier one closes at once.
 *
 * At most two are open at a time: a shop has room for two, and callbacks are signed with the older.
 *
 * `secretId` names the Secret Token to replace, for a form that could be sent twice. Throws `Problem`
 * PAYMENT_SERVICE_MOVED.
 */
export async function rotateSecretToken(
  app: App,
  paymentServiceId: string,
  environment: Environment,
  overlapMs: number,
  by: Actor,
  secretId: string | null = null,
): Promise<RotationOutcome> {
  const secretToken = randomHex(32);
  return changeService<RotationOutcome>(app, paymentServiceId, async (tx) => {
    const environmentId = await lockEnvironmentId(tx, paymentServiceId, environment);
    if (environmentId === null) return { kind: 'unknown' };
    const now = app.now();
    const tokens = (await selectTokens(tx, paymentServiceId)).filter((token) => token.environment_id === environmentId);
    const isCurrent = ({ secret_id, closes_at }: TokenRow) => secret_id === secretId && closes_at === null;
    if (secretId !== null && !tokens.some(isCurrent)) return { kind: 'replaced' };
    const closing = tokens.find(({ closes_at }) => closes_at !== null && closes_at > now);
    if (overlapMs > 0 && closing !== undefined) return { kind: 'overlapping', closesAt: closing.closes_at as number };
    await closeSecretTokens(tx, environmentId, now + overlapMs);
    await addSecretToken(app, tx, environmentId, secretToken, now);
    // The links were made for the Secret Token that is closing.
    await updateAllEnded(tx, environmentId, now);
    await recordAudit(tx, {
      at: now,
      by,
      action: 'payment_service.rotated',
      subject: { kind: 'payment_service', id: paymentServiceId },
      after: { environment, closes_at: new Date(now + overlapMs).toISOString() },
    });
    const serviceToken = (tokens[0] as TokenRow).service_token;
    return {
      kind: 'rotated',
      rotation: { service_token: serviceToken, secret_token: secretToken, old_closes_at: now + overlapMs },
    };
  });
}
