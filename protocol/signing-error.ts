/** One error in a body. `message` and `fix` are safe to show to anybody: they never contain a value. */
export type Problem = { code: SigningCode; field: string | null; message: string; fix: string };

/**
 * Thrown when a body cannot be read or must not be signed. The message names every problem with its code and fix;
 * `code`, `field` and `fix` describe the first.
 */
export class SigningError extends Error {
  readonly code: SigningCode;
  readonly field: string | null;
  readonly fix: string;
  readonly problems: readonly [Problem, ...Problem[]];

  constructor(problems: readonly [Problem, ...Problem[]]) {
    super(problems.map(({ code, message, fix }) => `${code}: ${message} ${fix}`).join(' '));
    this.name = 'SigningError';
    this.code = problems[0].code;
    this.field = problems[0].field;
    this.fix = problems[0].fix;
    this.problems = problems;
  }
}

/**
 * Builds one problem. `field` is null when the whole body is at fault; `detail` may name a position or a field name.
 */
export function problem(code: SigningCode, field: string | null, detail?: string): Problem {
  const [predicate, fix] = SIGNING_CATALOGUE[code];
  const shownField = field === null ? null : field.slice(0, LONGEST_SHOWN_NAME);
  const message = `${shownField === null ? 'The body' : shownField || 'The empty name'} ${predicate}`;
  return { code, field: shownField, message: detail === undefined ? `${message}.` : `${message}: ${detail}.`, fix };
}

/** Reports one problem by throwing it. */
export function refuse(code: SigningCode, field: string | null, detail?: string): never {
  throw new SigningError([problem(code, field, detail)]);
}

// A stranger may send a name of thousands of characters; a response quotes only its beginning.
const LONGEST_SHOWN_NAME = 64;

export type SigningCode = keyof typeof SIGNING_CATALOGUE;

/** code: [the error, as it follows the field's name; what the caller can do]. */
export const SIGNING_CATALOGUE = {
  INVALID_JSON: ['is not valid JSON', 'Build the body with a JSON library, not by joining text.'],
  INVALID_ENCODING: [
    'is not well-formed text',
    'Send UTF-8 without a byte order mark, complete percent escapes and complete surrogate pairs.',
  ],
  NOT_AN_OBJECT: ['must be one JSON object', 'Send the fields as the members of one object.'],
  DUPLICATE_KEY: ['occurs more than once', 'Send every field once: readers disagree on which of two wins.'],
  FORBIDDEN_KEY: ['is not allowed as a name', 'Leave this name out.'],
  JSON_TOO_DEEP: ['is nested too deeply', 'Nest fewer levels, counting the outer object.'],
  TOO_MANY_FIELDS: ['has too many fields', 'Send fewer fields, counting the members of inner objects.'],
  FIELD_TOO_LONG: [
    'is too long',
    'Shorten the value: at most 100 characters in a reference, a session id or a Service Token, 254 in an e-mail address, 2048 in a URL, 4096 in any other value.',
  ],
  CONTROL_CHARACTER: ['contains a control character', 'Remove line feeds, tabs and other control characters.'],
  UNKNOWN_FIELD: [
    'is not a field of this message',
    'Leave it out. Names are lower case and the set of fields is closed.',
  ],
  MISSING_FIELD: ['is missing', 'Send the field: it has no default. Where the request is signed, sign it too.'],
  EMPTY_FIELD: ['is empty', 'Give the field a value. Where the request is signed, sign that value.'],
  INVALID_TYPE: [
    'has the wrong JSON type',
    'Send text. x_amount and x_reference of a request may be whole numbers too. x_products and the other unsigned fields must be objects or arrays.',
  ],
  AMBIGUOUS_FIELD: [
    'contains the name of another field',
    'Write _ as %5F in URLs (?x%5Freference=1) and keep field names out of every other value.',
  ],
  SIGNATURE_MISSING: ['is missing', 'Send x_signature: HMAC-SHA256 of the sorted fields, in lower-case hexadecimal.'],
  SIGNATURE_INVALID: [
    'does not match the fields',
    'Check the secret and that every field is sent exactly as it was signed; `rubrica explain` names the cause.',
  ],
  INVALID_ACCOUNT_ID: ['is not a Service Token', 'Send the Service Token: 1 to 100 visible ASCII characters.'],
  INVALID_AMOUNT: [
    'is not an amount of this currency',
    'Write an amount above zero in at most eleven digits: a thousand is 1000, without a point or a comma between thousands. One or two decimals where the currency has them, such as 10.50; CLP has none.',
  ],
  INVALID_CURRENCY: ['is not a currency', 'Send an ISO 4217 code in capital letters, such as CLP.'],
  INVALID_COUNTRY: ['is not a country code', 'Send two letters, such as CL.'],
  INVALID_URL: [
    'is not an acceptable URL',
    'Send an absolute https URL in its normal form, without user name, password or fragment. Only x_url_cancel may be a path: /cart.',
  ],
  INVALID_EMAIL: ['is not an e-mail address', 'Send one address such as name@example.com.'],
  INVALID_SESSION_ID: ['is not a session id', 'Send 5 to 100 visible Latin characters, without spaces at either end.'],
  INVALID_REFERENCE: ['is not a reference', 'Send 1 to 100 visible Latin characters, without spaces at either end.'],
  CARD_NUMBER: [
    'looks like a card number',
    'Send your own number. If it only looks so, write a letter directly before it, such as A, without a hyphen.',
  ],
  INVALID_TIMESTAMP: ['is not a time', 'Send an ISO 8601 time in UTC, such as 2026-01-01T00:00:00.000Z.'],
  INVALID_RESULT: ['is not a result', 'Send completed, failed or pending.'],
  INVALID_TEST: ['is neither true nor false', 'Send the text true or false.'],
  ACCOUNT_MISMATCH: ['is not your Service Token', 'Ignore it: the callback is for somebody else.'],
  REFERENCE_MISMATCH: ['is not the reference of your order', 'Ignore it: the callback is about another order.'],
  AMOUNT_MISMATCH: ['is not the amount of your order', 'Do not deliver; look the transaction up.'],
  CURRENCY_MISMATCH: ['is not the currency of your order', 'Do not deliver; look the transaction up.'],
  TEST_MISMATCH: ['is of the other environment', 'Do not deliver: a completed test payment is not a payment.'],
  WEBHOOK_HEADERS_MISSING: [
    'came without the webhook headers',
    'Ignore it, and check that your proxy passes webhook-id, webhook-timestamp and webhook-signature on.',
  ],
  WEBHOOK_SIGNATURE_INVALID: [
    'is not what the webhook headers sign',
    'Ignore it; verify the raw body and both secrets.',
  ],
  WEBHOOK_TIME_REFUSED: ['was not sent just now', 'Ignore it: it may be a replay. Check your own clock.'],
} as const satisfies Record<string, readonly [string, string]>;
