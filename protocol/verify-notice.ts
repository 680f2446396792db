import { node } from './platform.ts';
import { type Problem, problem } from './signing-error.ts';
import {
  bytesOf,
  checkWebhookHeaders,
  type Proofs,
  secretsOf,
  type VerifyCallbackOptions,
  webhookHeaders,
} from './verify-callback.ts';
import { webhookMatchesAsync } from './web-crypto.ts';
import { webhookKey, webhookMatches } from './webhook-signature.ts';

export type VerifyNoticeOptions = Omit<VerifyCallbackOptions, 'expected' | 'requireWebhookHeaders'>;

/** `data` is the JSON that was posted: `type`, `timestamp` and `data`, or the `tefResponse` of a payout. */
export type NoticeVerification = { ok: true; data: Record<string, unknown> } | ({ ok: false } & Problem);

/**
 * Verifies a notice of a refund or a payout: JSON whose webhook headers alone sign it. Never throws for a bad one, only
 * for an empty secret and for a body that is no longer raw. `webhook-id` is the same for every repeat.
 */
export function verifyNotice(options: VerifyNoticeOptions): NoticeVerification {
  const keys = secretsOf(options).map(webhookKey);
  return judge(options, (headers, body) => webhookMatches(headers, body, keys));
}

/** The same with Web Crypto, where Node's own is missing. */
export async function verifyNoticeAsync(options: VerifyNoticeOptions): Promise<NoticeVerification> {
  if (node !== undefined) return verifyNotice(options);
  const secrets = secretsOf(options);
  const headers = webhookHeaders(options.headers ?? {});
  const delivered = await webhookMatchesAsync(headers, bytesOf(options.body), secrets);
  return judge(options, () => delivered);
}

function judge(options: VerifyNoticeOptions, delivered: Proofs['delivered']): NoticeVerification {
  const body = bytesOf(options.body);
  const fault = checkWebhookHeaders({ ...options, requireWebhookHeaders: true }, body, delivered);
  if (fault !== null) return { ok: false, ...fault };
  const data = parseObject(body);
  if (data !== null) return { ok: true, data };
  // The same key signs the headers of callbacks.
  return { ok: false, ...problem('NOT_AN_OBJECT', null, 'it is a callback, for verifyCallback') };
}

function parseObject(body: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
