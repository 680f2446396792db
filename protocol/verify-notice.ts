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

/**
 * The JSON that is posted. More members may come. `timestamp` is ISO 8601, an `amount` of text a decimal: `12990.00`.
 */
export type Notice = RefundNotice | PayoutNotice | TransferNotice;

export type RefundNotice = {
  type: 'refund.processing' | 'refund.completed' | 'refund.failed';
  timestamp: string;
  data: Source & {
    transaction: { id: number; reference: string } & Money;
    refund: { id: string; type: 'total' | 'parcial' } & Money;
  };
};

export type PayoutNotice = {
  type: `payout.${string}`;
  timestamp: string;
  data: Source & { payout: { id: string; reference: string } & Money };
};

/** The end of a payout, at the `callbackUrl` of its `POST /tef`. `amount` is in pesos. */
export type TransferNotice = {
  type?: undefined;
  tefResponse: {
    status: 'processing' | 'completed' | 'failed';
    tef: { id: string; amount: number; state: string; payoutId: string; reason: string | null };
  };
};

type Source = { payment_service: string; environment: string };
type Money = { amount: string; currency: string };

/** `data` is the JSON that was posted. */
export type NoticeVerification = { ok: true; data: Notice } | ({ ok: false } & Problem);

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

function parseObject(body: Uint8Array): Notice | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === 'object' && !Array.isArray(value) ? (value as Notice | null) : null;
  } catch {
    return null;
  }
}
