import { requireSecret, SIGNATURE_FORMAT } from './hmac.ts';
import { MOST_SIGNATURES, WEBHOOK_KEY_LABEL, type WebhookHeaders } from './webhook-signature.ts';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** Computes the `x_signature` of a message with Web Crypto. Throws `TypeError` if the secret is empty or not a text. */
export async function computeSignatureAsync(message: string, secret: string): Promise<string> {
  requireSecret(secret);
  const digest = await crypto.subtle.sign(HMAC, await signingKeyOf(secret, 'sign'), utf8(message));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns whether `signature` is the `x_signature` of the message with one of the secrets. The platform compares in
 * constant time.
 */
export async function signatureMatchesAsync(
  message: string,
  signature: string,
  secrets: readonly string[],
): Promise<boolean> {
  if (!SIGNATURE_FORMAT.test(signature)) return false;
  const digest = Uint8Array.from(signature.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  const keys = await Promise.all(secrets.map((secret) => signingKeyOf(secret, 'verify')));
  return someAsync(keys, (key) => crypto.subtle.verify(HMAC, key, digest, utf8(message)));
}

/** Returns whether one of the signatures in the header was made with one of the secrets. Does not check the time. */
export async function webhookMatchesAsync(
  headers: WebhookHeaders,
  body: Uint8Array,
  secrets: readonly string[],
): Promise<boolean> {
  const { id, timestamp, signature } = headers;
  if (id === null || timestamp === null || signature === null) return false;
  const head = utf8(`${id}.${timestamp}.`);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  const digests = signature.split(' ', MOST_SIGNATURES).map(digestOfSignature);
  const keys = await Promise.all(secrets.map(webhookKeyOf));
  return someAsync(keys, (key) => someAsync(digests, (digest) => crypto.subtle.verify(HMAC, key, digest, message)));
}

async function someAsync<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(items.map(holds))).includes(true);
}

function signingKeyOf(secret: string, use: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', utf8(secret), HMAC, false, [use]);
}

async function webhookKeyOf(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveBits']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8(WEBHOOK_KEY_LABEL) };
  const bits = await crypto.subtle.deriveBits(derivation, material, 256);
  return crypto.subtle.importKey('raw', bits, HMAC, false, ['verify']);
}

/**
 * Decodes a signature of version 1. Returns an empty digest, which matches nothing, for any other text. The spare bits
 * of its last character must be zero.
 */
function digestOfSignature(value: string): Uint8Array<ArrayBuffer> {
  const base64 = /^v1,([A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=)$/.exec(value)?.[1] ?? '';
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
