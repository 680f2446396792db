import { SigningKey } from '../../protocol/hmac.ts';
import { signWebhookText, webhookKey } from '../../protocol/webhook-signature.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { SecretToken, ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { ClaimedCallback } from './outbox-queries.ts';

/**
 * Returns the headers of an attempt: the Standard Webhooks headers in addition to the signed body. Everything new for
 * merchants is in headers, because the body of a callback has a fixed set of fields. During a rotation there is a
 * signature for each open Secret Token.
 */
export function callbackHeaders(
  environment: ServiceEnvironment,
  callback: Pick<ClaimedCallback, 'webhook_id' | 'sequence' | 'content_type' | 'body'>,
  now: number,
): Record<string, string> {
  const timestamp = Math.floor(now / 1000);
  const signatures = environment.secrets.map((secret) =>
    signWebhookText(callback.webhook_id, timestamp, callback.body, keyOf(secret)),
  );
  return {
    'content-type': callback.content_type,
    'user-agent': 'Rubrica',
    'rubrica-sequence': String(callback.sequence),
    'webhook-id': callback.webhook_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

// Cached, because deriving a key takes longer than signing.
const keyOf = perInstance((secret: SecretToken) => new SigningKey(webhookKey(secret.text)));
