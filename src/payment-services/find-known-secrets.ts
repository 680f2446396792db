import type { OtherSecret } from '../../protocol/key-hypotheses.ts';
import type { App } from '../app.ts';
import type { ServiceEnvironment } from './payment-service.ts';
import { type SecretRow, selectSecretsOfPaymentService } from './payment-service-queries.ts';
import { openSecret } from './seal-secret.ts';

export type KnownSecrets = { current: string; others: OtherSecret[] };

/** Rotations do not remove what they close. More of those than this nobody still has in a configuration. */
const MOST = 16;

/**
 * The Secret Token that an environment signs with now, and every other that its payment service has had lately: those of
 * the other environment and those that were rotated. For saying what a signature was made with, never for accepting it.
 */
export async function findKnownSecrets(app: App, environment: ServiceEnvironment): Promise<KnownSecrets | null> {
  const rows = await selectSecretsOfPaymentService(app.db, environment.paymentServiceId, MOST);
  const isOwn = (row: SecretRow) => row.environment === environment.environment;
  const current = rows.find((row) => isOwn(row) && row.closes_at === null);
  if (current === undefined) return null;
  const others = rows.filter((row) => row !== current);
  return {
    current: openSecret(app, current, current.sealed),
    others: others.map((row) => ({
      label: isOwn(row) ? 'rotated' : 'other-environment',
      secret: openSecret(app, row, row.sealed),
    })),
  };
}
