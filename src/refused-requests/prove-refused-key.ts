import type { Field } from '../../protocol/field.ts';
import { SIGNATURE_FIELD } from '../../protocol/field-names.ts';
import { signatureMatches, signingKey } from '../../protocol/hmac.ts';
import { signingMessage } from '../../protocol/signing-message.ts';
import type { App } from '../app.ts';
import { selectSecretsOfPaymentService } from '../payment-services/payment-service-queries.ts';
import { openSecret } from '../payment-services/seal-secret.ts';

/** Of one payment service, in one group: more say nothing new. */
const MOST_TRIED = 10;
const MOST_SECRETS = 20;

/**
 * Counts the refused bodies that were signed with another Secret Token of the payment service: one that has ended, or of its other
 * environment. Its own service alone has those, so a stranger who has only its Service Token never gets here.
 */
export async function countProved(
  app: App,
  paymentServiceId: string,
  bodies: readonly (readonly Field[])[],
): Promise<number> {
  const rows = await selectSecretsOfPaymentService(app.db, paymentServiceId, MOST_SECRETS);
  const keys = rows.flatMap(({ id, environment_id, sealed }) => {
    try {
      return [signingKey(openSecret(app, { id, environment_id }, sealed))];
    } catch {
      // It was moved in the store; who signs with it rightly is told of that.
      return [];
    }
  });
  const isOwn = (fields: readonly Field[]): boolean => {
    const signature = fields.find(({ name }) => name === SIGNATURE_FIELD)?.text ?? '';
    const message = signingMessage(fields);
    return keys.some((key) => signatureMatches(message, signature, key));
  };
  return bodies.slice(0, MOST_TRIED).filter(isOwn).length;
}
