import type { OtherSecret } from '../../protocol/key-hypotheses.ts';
import type { App } from '../app.ts';
import type { ServiceEnvironment } from './payment-service.ts';
import { type SecretRow, selectSecretsOfPaymentService } from './payment-service-queries.ts';
import { openSecret } from './seal-secret.ts';

export type KnownSecrets = { current: string; others: OtherSecret[] };

/**
 * Closed Secret Tokens stay in the store. The newest ones are enough: nobody still has older ones in a configuration.
 */
const MOST = 16;

/**
 * Returns the environment's current Secret Token and the other recent ones of its payment service: the other
 * environment's and rotated ones. Use it to explain a wrong signature, never to accept one. Null: no current Secret
 * Token.
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
