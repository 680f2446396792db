import { currencyExponent } from './currency-exponents.ts';
import type { Field } from './field.ts';
import { checkCallbackGrammar } from './field-grammar.ts';
import { type CallbackField, SIGNATURE_FIELD } from './field-names.ts';
import { requireSecret, signatureMatches, signingKey } from './hmac.ts';
import { trimEnd } from './plain-text.ts';
import { node } from './platform.ts';
import { readFormFields } from './read-form-fields.ts';
import { readJsonFields } from './read-json-fields.ts';
import { type Problem, problem, SigningError } from './signing-error.ts';
import { signingMessage } from './signing-message.ts';
import { checkCallbackFields } from './signing-rules.ts';
import { signatureMatchesAsync, webhookMatchesAsync } from './web-crypto.ts';
import { type WebhookHeaders, webhookKey, webhookMatches } from './webhook-signature.ts';

/**
 * A verified callback. Every field is the signed text. `x_amount` is decimal text, `x_timestamp` a time such as
 * `2026-01-15T12:00:00.000Z`.
 */
export type CallbackData = Record<Exclude<CallbackField, 'x_result' | 'x_test'>, string> & {
  x_result: 'completed' | 'failed' | 'pending';
  x_test: 'true' | 'false';
};

/**
 * Your order. Give the members that you have; `compareWithOrder` compares the rest once you found the order. A member
 * that is present and undefined, such as a misnamed column, throws `TypeError`, because it would not be compared.
 */
export type ExpectedOrder = {
  /** Your Service Token. */
  account?: string;
  reference?: string | number;
  /**
   * Decimal text or a number: `5000.00` and `5000` are equal. Text such as `1.000` in CLP throws `TypeError`: a program
   * reads one, a person in Chile a thousand.
   */
  amount?: string | number;
  currency?: string;
  /** False in production: a completed test payment is not a payment. */
  test?: boolean;
};

/** Headers as in `fetch` (`Headers`) or as in Node. */
export type ReceivedHeaders = { get(name: string): string | null } | Record<string, string | string[] | undefined>;

export type VerifyCallbackOptions = {
  /** The raw body as it arrived, before any framework parsed it. */
  body: string | Uint8Array;
  /** The request's headers. They are verified if they include webhook headers. */
  headers?: ReceivedHeaders;
  /** The Secret Token, or both of them during a rotation. */
  secret: string | readonly string[];
  expected: ExpectedOrder;
  /** Refuses a callback without webhook headers. */
  requireWebhookHeaders?: boolean;
  /** The most seconds between `webhook-timestamp` and now; default 300. */
  toleranceSeconds?: number;
  /** UTC milliseconds; default: the system clock. */
  now?: number;
};

export type CallbackVerification = { ok: true; data: CallbackData } | ({ ok: false } & Problem);

/**
 * Verifies a callback and returns what is wrong with it. A bad callback never throws. It throws only for an empty
 * secret, for a parsed body, and for an expected value that is undefined or ambiguous.
 *
 * A genuine callback may be old or repeated: before you act on it, check that your order has not received it already.
 */
export function verifyCallback(options: VerifyCallbackOptions): CallbackVerification {
  const secrets = secretsOf(options);
  const keys = secrets.map(signingKey);
  return judge(options, {
    signed: (message, signature) => keys.some((key) => signatureMatches(message, signature, key)),
    delivered: (headers, body) => webhookMatches(headers, body, secrets.map(webhookKey)),
  });
}

/** The same with Web Crypto, for platforms without Node's crypto. */
export async function verifyCallbackAsync(options: VerifyCallbackOptions): Promise<CallbackVerification> {
  if (node !== undefined) return verifyCallback(options);
  const secrets = secretsOf(options);
  const body = bytesOf(options.body);
  const { message, signature } = signedPartOf(body);
  const signed = await signatureMatchesAsync(message, signature, secrets);
  const delivered = await webhookMatchesAsync(webhookHeaders(options.headers ?? {}), body, secrets);
  return judge(options, { signed: () => signed, delivered: () => delivered });
}

/** The secrets of a call; throws `TypeError` for an empty list. */
export function secretsOf({ secret }: Pick<VerifyCallbackOptions, 'secret'>): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError('The list of secrets is empty. Give it your Secret Token.');
  secrets.forEach(requireSecret);
  return secrets;
}

/** Returns the signed part of a body; empty if the body cannot be read. `judge` reports why. */
function signedPartOf(body: Uint8Array): { message: string; signature: string } {
  try {
    const fields = readFields(body);
    const signature = fields.find(({ name }) => name === SIGNATURE_FIELD);
    return { message: signingMessage(fields), signature: signature?.text ?? '' };
  } catch (error) {
    if (error instanceof SigningError) return { message: '', signature: '' };
    throw error;
  }
}

/** Whether one of the secrets signed the fields, and the body with its webhook headers. */
export type Proofs = {
  signed: (message: string, signature: string) => boolean;
  delivered: (headers: WebhookHeaders, body: Uint8Array) => boolean;
};

function judge(options: VerifyCallbackOptions, proofs: Proofs): CallbackVerification {
  const body = bytesOf(options.body);
  try {
    const fields = readFields(body);
    const { problems, values, signature } = checkCallbackFields(fields);
    const fault =
      problems[0] ??
      checkSignature(signature, fields, proofs) ??
      checkCallbackGrammar(values)[0] ??
      checkWebhookHeaders(options, body, proofs.delivered) ??
      compareWithOrder(values as CallbackData, options.expected);
    // The grammar has checked that the result and the test have allowed values.
    return fault === null ? { ok: true, data: values as CallbackData } : { ok: false, ...fault };
  } catch (error) {
    if (error instanceof SigningError) return { ok: false, ...error.problems[0] };
    throw error;
  }
}

/**
 * Returns the first difference between a callback and your order, or null. Missing members are not compared. Throws
 * `TypeError` for an undefined member, and for an expected amount as text with more decimals than its currency has:
 * `1.000` in CLP. `.0` and `.00` are accepted.
 */
export function compareWithOrder(data: CallbackData, expected: ExpectedOrder): Problem | null {
  const { account, reference, amount, currency, test } = expected;
  const missing = Object.entries(expected).find(([, value]) => value === undefined)?.[0];
  if (missing !== undefined)
    throw new TypeError(
      `The ${missing} of your order is undefined, so it would not be compared. Give its value, or leave out the member.`,
    );
  if (typeof amount === 'string') refuseAmbiguousAmount(amount, currency ?? data.x_currency);
  if (account !== undefined && data.x_account_id !== account) return problem('ACCOUNT_MISMATCH', 'x_account_id');
  if (reference !== undefined && data.x_reference !== String(reference))
    return problem('REFERENCE_MISMATCH', 'x_reference');
  if (amount !== undefined && !sameDecimal(data.x_amount, String(amount)))
    return problem('AMOUNT_MISMATCH', 'x_amount');
  if (currency !== undefined && data.x_currency !== currency) return problem('CURRENCY_MISMATCH', 'x_currency');
  if (test !== undefined && data.x_test !== String(test)) return problem('TEST_MISMATCH', 'x_test');
  return null;
}

/** The bytes of a raw body; throws `TypeError` for one that was parsed. */
export function bytesOf(body: string | Uint8Array): Uint8Array {
  if (typeof body === 'string') return node === undefined ? new TextEncoder().encode(body) : Buffer.from(body);
  // Not `instanceof`: test runners give every module a different Uint8Array.
  if (ArrayBuffer.isView(body)) return body;
  throw new TypeError('The body is missing, or a framework has parsed it. Give the raw body, as text or bytes.');
}

/** Callbacks are forms; some older integrations convert them to JSON. No form body starts with a brace. */
function readFields(body: Uint8Array): Field[] {
  return body[0] === 0x7b ? readJsonFields(body) : readFormFields(body);
}

function checkSignature(signature: string | null, fields: readonly Field[], proofs: Proofs): Problem | null {
  if (signature === null) return problem('SIGNATURE_MISSING', SIGNATURE_FIELD);
  return proofs.signed(signingMessage(fields), signature) ? null : problem('SIGNATURE_INVALID', SIGNATURE_FIELD);
}

/** The first thing that is wrong with the webhook headers of a body, or null. */
export function checkWebhookHeaders(
  options: Omit<VerifyCallbackOptions, 'expected'>,
  body: Uint8Array,
  delivered: Proofs['delivered'],
): Problem | null {
  const headers = webhookHeaders(options.headers ?? {});
  if (headers.id === null && headers.timestamp === null && headers.signature === null) {
    return options.requireWebhookHeaders === true ? problem('WEBHOOK_HEADERS_MISSING', null) : null;
  }
  if (!delivered(headers, body)) return problem('WEBHOOK_SIGNATURE_INVALID', null);
  const now = options.now ?? Date.now();
  const distance = Math.abs(now / 1000 - Number(headers.timestamp));
  // Written so that an invalid time (NaN) is refused too.
  return distance <= (options.toleranceSeconds ?? 300) ? null : problem('WEBHOOK_TIME_REFUSED', null);
}

/** The webhook headers among those that were received. */
export function webhookHeaders(headers: ReceivedHeaders): WebhookHeaders {
  return {
    id: headerOf(headers, 'webhook-id'),
    timestamp: headerOf(headers, 'webhook-timestamp'),
    signature: headerOf(headers, 'webhook-signature'),
  };
}

function headerOf(headers: ReceivedHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name);
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : null;
}

function refuseAmbiguousAmount(amount: string, currency: string): void {
  const exponent = currencyExponent(currency);
  const decimals = /^\d+\.(\d+)$/.exec(amount)?.[1] ?? '';
  if (exponent === undefined || decimals.length <= exponent || /^00?$/.test(decimals)) return;
  const write = exponent === 0 ? 'digits alone, such as 1000' : `no more than ${exponent} decimals`;
  throw new TypeError(`The amount of your order, ${amount} ${currency}, could be read in two ways: write ${write}`);
}

function sameDecimal(left: string, right: string): boolean {
  return withoutTrailingZeros(left) === withoutTrailingZeros(right);
}

function withoutTrailingZeros(decimal: string): string {
  return decimal.includes('.') && decimal.endsWith('0') ? trimEnd(trimEnd(decimal, '0'), '.') : decimal;
}
