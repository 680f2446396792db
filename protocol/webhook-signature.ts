import type { SigningKey } from './hmac.ts';
import { needNode, node } from './platform.ts';

/** The received headers of Standard Webhooks; null for a missing one. */
export type WebhookHeaders = { id: string | null; timestamp: string | null; signature: string | null };

/**
 * Derives the 32-byte key of the webhook headers: HKDF-SHA256 of the Secret Token with a separate label, so that this
 * signature and `x_signature` can never replace each other.
 */
export function webhookKey(secret: string): Uint8Array {
  const { hkdfSync } = node?.crypto ?? needNode();
  return new Uint8Array(hkdfSync('sha256', secret, '', WEBHOOK_KEY_LABEL, 32));
}

/** Separates this key from every other key that is derived from the Secret Token. */
export const WEBHOOK_KEY_LABEL = 'callback-v2';

/**
 * Returns a value for the `webhook-signature` header: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
 * During a rotation the header has one such value per secret, separated by spaces. `timestamp` is in UTC seconds.
 */
export function signWebhook(
  id: string,
  timestamp: number | string,
  body: string | Uint8Array,
  key: Uint8Array,
): string {
  const { createHmac } = node?.crypto ?? needNode();
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Returns the same value for a text in half the time. `key` is made from a `webhookKey`, and reused. */
export function signWebhookText(id: string, timestamp: number, body: string, key: SigningKey): string {
  return `v1,${key.sign(`${id}.${timestamp}.${body}`, 'base64')}`;
}

/** Returns whether one of the signatures in the header was made with one of the keys. Does not check the time. */
export function webhookMatches(headers: WebhookHeaders, body: Uint8Array, keys: readonly Uint8Array[]): boolean {
  const { id, timestamp, signature } = headers;
  if (id === null || timestamp === null || signature === null) return false;
  const { timingSafeEqual } = node?.crypto ?? needNode();
  const received = signature.split(' ', MOST_SIGNATURES).map((value) => Buffer.from(value));
  return keys.some((key) => {
    const expected = Buffer.from(signWebhook(id, timestamp, body, key));
    return received.some((value) => value.length === expected.length && timingSafeEqual(value, expected));
  });
}

// A sender needs two during a rotation; a stranger must not cause more work with a longer list.
export const MOST_SIGNATURES = 8;
