import type { Field } from '../../protocol/field.ts';
import { SIGNATURE_FIELD } from '../../protocol/field-names.ts';
import { signatureMatches, signingKey } from '../../protocol/hmac.ts';
import { signingMessage } from '../../protocol/signing-message.ts';
import type { App } from '../app.ts';
import { selectSecretsOfPaymentService } from '../payment-services/payment-service-queries.ts';
import { openSecret } from '../payment-services/seal-secret.ts';

/** The most bodies of one payment service to check in one group: more add no information. */
const MOST_TRIED = 10;
const MOST_SECRETS = 20;

/**
 * Counts the refused bodies that were signed with another Secret Token of the payment service: a closed one, or one of
 * its other environment. Only the service itself has those, so the requests of a stranger who knows only its Service
 * Token are not counted.
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
      // It was moved or changed in the store. The next request with its valid signature reports that.
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
