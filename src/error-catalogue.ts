import type { ErrorItem } from './error-item.ts';
import type { Language } from './lib/language.ts';

/** An entry of the catalogue: the HTTP status, the text for the caller, and what to do. */
export type CatalogueEntry = { status: number; title: string; fix: string };

/**
 * Every error code of the service. The code is stable and has a page at `/errors/{code}`. No text reveals whether an
 * account exists before its signature is verified.
 */
export const CATALOGUE = {
  INVALID_JSON: entry(
    400,
    'The body is not valid JSON',
    'Send one JSON object, encoded as UTF-8, with nothing after it.',
  ),
  NOT_AN_OBJECT: entry(400, 'The body is not a JSON object', 'Send the fields as members of one object.'),
  INVALID_ENCODING: entry(400, 'The body is not well-formed UTF-8', 'Encode the text as UTF-8; no lone surrogates.'),
  DUPLICATE_KEY: entry(400, 'A name occurs twice', 'Send every field exactly once.'),
  FORBIDDEN_KEY: entry(400, 'A name is forbidden', 'Remove __proto__, constructor and prototype.'),
  JSON_TOO_DEEP: entry(400, 'The body is nested too deeply', 'Nest fewer levels: the detail says how many are taken.'),
  TOO_MANY_FIELDS: entry(400, 'The request has too many fields', 'Send fewer: the detail says how many are taken.'),
  FIELD_TOO_LONG: entry(400, 'A value is too long', 'Shorten it to the length that the API reference gives.'),
  CONTROL_CHARACTER: entry(
    400,
    'A value contains a control character',
    'Remove line breaks and other control characters.',
  ),
  UNKNOWN_FIELD: entry(400, 'A field is unknown', 'Send only the fields in the API reference.'),
  MISSING_FIELD: entry(400, 'A required field is missing', 'Send it, and sign it with the others.'),
  EMPTY_FIELD: entry(400, 'A required field is empty', 'Give it a value before you sign.'),
  INVALID_TYPE: entry(
    400,
    'A value has the wrong type',
    'Send text; x_amount and x_reference may also be JSON numbers.',
  ),
  AMBIGUOUS_FIELD: entry(
    400,
    'A value contains the name of a field',
    'The signature has no separators, so such a value could be read as two fields. In a URL write _ as %5F (?x%5Freference=1); elsewhere choose another value.',
  ),
  INVALID_AMOUNT: entry(
    400,
    'The amount cannot be used',
    'Write only digits: a thousand is 1000, without a thousands separator, a sign or leading zeros. One or two decimals if the currency has them; CLP has none, so .0 or .00 at most. At least 500 in CLP.',
  ),
  INVALID_CURRENCY: entry(400, 'The currency is not an ISO 4217 code', 'Send three capital letters, such as CLP.'),
  INVALID_COUNTRY: entry(400, 'The country is not an ISO 3166-1 code', 'Send two letters, such as CL.'),
  INVALID_EMAIL: entry(400, 'The e-mail address cannot be used', 'Send one plain address such as buyer@example.cl.'),
  INVALID_REFERENCE: entry(
    400,
    'The reference cannot be used',
    'Send 1 to 100 visible ASCII characters without spaces at the ends.',
  ),
  INVALID_SESSION_ID: entry(400, 'The session id cannot be used', 'Send 5 to 100 visible characters.'),
  CARD_NUMBER: entry(
    400,
    'A value looks like a card number',
    'Only the payment method may receive card numbers. Send your own number; if it only looks like one, write a letter directly before it, such as A.',
  ),
  INVALID_ACCOUNT_ID: entry(
    400,
    'The Service Token cannot be used',
    'Send the Service Token of your payment service, 1 to 100 characters.',
  ),
  INVALID_URL: entry(
    400,
    'A URL cannot be used',
    'Send an absolute https URL, written as a browser normalises it, without user name or fragment. Only x_url_cancel may be a path of the shop, such as /cart.',
  ),
  URL_NOT_ALLOWED: entry(
    400,
    'A URL points to an address that the service does not call',
    'Use a public host name on port 443 or 8443. In development set ALLOW_PRIVATE_CALLBACKS and use development tokens.',
  ),
  INVALID_PARAMETER: entry(400, 'A parameter cannot be used', 'See its format in the API reference.'),
  UNEXPECTED_QUERY: entry(400, 'This endpoint accepts no query parameters', 'Send the fields in the body only.'),
  HTTP_MALFORMED: entry(
    400,
    'The request is not well-formed HTTP/1.1',
    'Use an ordinary HTTP client; check proxies in between.',
  ),
  DUPLICATE_HEADER: entry(400, 'A header that must be single occurs twice', 'Send it once.'),
  INVALID_HEADER: entry(400, 'A header cannot be used', 'Remove it or write it as the API reference shows.'),
  SIGNATURE_MISSING: entry(
    401,
    'The signature is missing',
    'Add x_signature: HMAC-SHA256 of the message with your Secret Token, in lower-case hexadecimal.',
  ),
  SIGNATURE_INVALID: entry(
    401,
    'The account or the signature is wrong',
    'Compare your signed text with the output of `bin/rubrica sign --message`, or let `bin/rubrica explain` name the cause.',
  ),
  TOKEN_MISSING: entry(
    401,
    'A bearer token is missing',
    'Log in with POST /users/login or POST /loginToken and send the access token as Authorization: Bearer.',
  ),
  TOKEN_INVALID: entry(401, 'The bearer token is not valid', 'Log in again; access tokens expire and can be revoked.'),
  PRIVATE_TOKEN_RETIRED: entry(
    401,
    'Private tokens of the beta are no longer accepted',
    'Log in with POST /users/login or POST /loginToken and send the access token as Authorization: Bearer.',
  ),
  API_TOKEN_INVALID: entry(
    401,
    'The API token is not valid',
    'Check it; an operator can reset it: `bin/rubrica user reset-api-token`.',
  ),
  SERVICE_TOKEN_INVALID: entry(
    401,
    'The Service Token is not valid',
    'Send the Service Token of your payment service: at GET /payments in the Authorization header without Bearer, at GET /v2/payments in x_account_id of the query.',
  ),
  LOGIN_FAILED: entry(401, 'Wrong e-mail or password', 'Check both; an operator can reset the password.'),
  SECOND_FACTOR_NEEDED: entry(
    403,
    'A second factor is needed: a password alone is not enough',
    'A program uses an API token: `bin/rubrica user token create`. A person signs in at /console.',
  ),
  FACTOR_REFUSED: entry(
    401,
    'The code is wrong or was used before',
    'Wait for the next code of your app, or use a recovery code.',
  ),
  PAYOUTS_NOT_ENABLED: entry(
    403,
    'Payouts are not enabled for this user',
    'Ask an operator: `bin/rubrica user payouts on`.',
  ),
  PERMISSION_MISSING: entry(
    403,
    'The user lacks a permission',
    'The response names the permission. Ask a person who manages users: `bin/rubrica user grant USER PERMISSION`.',
  ),
  MORE_THAN_YOURS: entry(
    403,
    'The user has more rights than you, or is you',
    'Ask a person who has all rights of this user: `bin/rubrica user list`. Nobody changes their own rights.',
  ),
  REFUND_LIMIT_REACHED: entry(
    403,
    'The daily refund limit of the user is reached',
    'Have another person approve the refund: `bin/rubrica refund request`. Or wait for the next day in Chile, or ask for a higher limit: `bin/rubrica user refund-limit USER AMOUNT`.',
  ),
  NO_PERMISSION: entry(
    403,
    "User doesn't exist or doesn't have permissions",
    'Check the id in the address, and that the user sees the payment service: `bin/rubrica user list`.',
  ),
  NOT_FOUND: entry(404, 'Nothing exists at this address', 'Check the address; see /docs.'),
  NOT_BUILT: entry(
    404,
    'This call of the old service is not implemented',
    'docs/compatibility.md names the replacement.',
  ),
  METHOD_NOT_ALLOWED: entry(405, 'This address does not accept that method', 'See the Allow header.'),
  REQUEST_TIMEOUT: entry(408, 'The request took too long to arrive', 'Send headers and body without pauses.'),
  REFERENCE_CONFLICT: entry(
    409,
    'The reference was used before',
    'A reference belongs to one order for ever. Use a new one, or repeat the first signed request exactly.',
  ),
  LISTENER_ENDED: entry(
    409,
    'The listener or its lease of this callback has ended',
    'Another listener replaced it, it sent no request for too long, or the clock went back. Start a new listener; undelivered callbacks are sent again.',
  ),
  IDEMPOTENCY_KEY_REUSED: entry(
    409,
    'The idempotency key was used with another request',
    'A key belongs to one request. Use a new one, or repeat the first request exactly.',
  ),
  VALIDATION_NOT_USABLE: entry(
    409,
    'The validation cannot be used for a recipient',
    'Validate the account again. The verdict must be plausible or confirmed, and younger than VERDICT_MAX_AGE_DAYS. More than one source must know the bank.',
  ),
  ACCOUNT_NOT_VALIDATED: entry(
    409,
    'This is not the account that was validated',
    'Send the same RUT, bank and account as in the validation, or validate this account first.',
  ),
  RECIPIENT_CONFLICT: entry(
    409,
    'The recipient or validation does not match',
    'Another holder needs a new recipient. A validation is stored once: for other data, validate again.',
  ),
  CHANGED_IN_STORE: entry(
    409,
    'This was changed in the database, bypassing the service',
    'Tell the operator: the log names the row. A backup has the original.',
  ),
  PAYOUT_CONFLICT: entry(
    409,
    'The id belongs to another payout',
    'Send the same fields again to read the same payout, or choose a new id for a new one.',
  ),
  PAYOUT_STATE: entry(
    409,
    'The state of the payout does not allow this',
    'Read the payout first: its state says what is possible.',
  ),
  APPROVAL_REFUSED: entry(
    409,
    'This approval cannot be given',
    'See the detail: another person, a newer validation, or a new proposal is needed.',
  ),
  PAYOUT_LIMIT_REACHED: entry(
    409,
    'A limit of payouts is reached',
    'Wait for the next day, pay less, or have an operator change the limit: bin/rubrica payout limits.',
  ),
  INSUFFICIENT_BALANCE: entry(
    409,
    'The merchant does not have enough money',
    'Read GET /availableBalance; record a deposit, or pay less.',
  ),
  PERSON_NEEDED: entry(
    403,
    'Only a named user may do this',
    'Name the user: --as EMAIL on the command line. If the user is a program, let a person do it.',
  ),
  PAYMENT_SERVICE_AMBIGUOUS: entry(
    409,
    'It is not clear which payment service is meant',
    'Name it as `paymentServiceId` where the request has this member. Elsewhere use a user of exactly one payment service: `bin/rubrica user create --payment-service ID`.',
  ),
  USER_EXISTS: entry(409, 'A user with this address already exists', 'Use the existing user, or another address.'),
  NOT_PAYABLE: entry(409, 'The transaction can no longer be paid', 'Create a new transaction with a new reference.'),
  PAYMENT_IN_PROGRESS: entry(409, 'A payment is in progress', 'Wait for its outcome; do not pay again.'),
  PAYLOAD_TOO_LARGE: entry(
    413,
    'The body is too large',
    'Send at most 16 KiB (512 KiB for a batch, 3 MiB for a bank’s file).',
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    'The media type is not accepted here',
    'Send application/json in UTF-8, or a form if the API reference says so.',
  ),
  EXPECTATION_FAILED: entry(417, 'The expectation cannot be met', 'Remove the Expect header.'),
  ACCOUNT_NOT_PAYABLE: entry(
    422,
    'The account cannot be paid',
    'See errors[]: correct the RUT, the bank or the account, and send it again.',
  ),
  INVALID_STATEMENT: entry(
    422,
    'The bank statement cannot be verified',
    'Export it from the bank again, whole and as it is: CSV, .xlsx or .xls.',
  ),
  INVALID_PAYOUT: entry(422, 'The payouts are invalid', 'See errors[] for every row or member and its fix.'),
  INVALID_BODY: entry(422, 'Invalid request body', 'See errors[] for every member and its fix.'),
  RATE_LIMITED: entry(429, 'Too many requests', 'Wait for the seconds in Retry-After.'),
  HEADERS_TOO_LARGE: entry(431, 'The headers are too large', 'Send at most 8 KiB and 64 headers.'),
  INTERNAL: entry(
    500,
    'The service failed',
    'Tell the operator the request_id. Repeating a signed request with the same reference is safe.',
  ),
  OVERLOADED: entry(
    503,
    'The service is busy',
    'Retry the same request after Retry-After; the same reference is never charged twice.',
  ),
  CURSOR_BEFORE_RESTORE: entry(
    409,
    'The cursor is older than the restore of the service from a backup',
    'Continue with data.next of this response. Events that you read and that are no longer in the feed were lost: compare their transactions with GET /trxs/{id}.',
  ),
  CURSOR_OF_ANOTHER_DATABASE: entry(
    409,
    'The cursor belongs to the database that the payment service has left',
    'Continue with data.next of this response, which starts with the first event stored here. Events that you have read come again with the same id: handle each id once.',
  ),
  CURSOR_TOO_OLD: entry(
    410,
    'The events after the cursor were deleted',
    'Continue with data.next of this response, and compare the transactions since your last read with GET /trxs/{id}.',
  ),
  HELD_AFTER_RESTORE: entry(
    503,
    'The service was restored from a backup, and this payment is under review',
    'Nothing was charged. Try again later.',
  ),
  STOPPING: entry(503, 'The service is restarting', 'Retry the same request after Retry-After.'),
  OUTCOME_UNKNOWN: entry(
    503,
    'It is not known whether the request was stored',
    'Retry the same request: the same reference returns the first outcome, or creates it now.',
  ),
  STORAGE_FULL: entry(503, 'The disk is full', 'Nothing was stored. Retry the same request later.'),
  STORAGE_UNAVAILABLE: entry(
    503,
    'The database does not answer',
    'Nothing was stored. Retry the same request after Retry-After.',
  ),
  PAYMENT_SERVICE_MOVED: entry(
    421,
    'The payment service is served at another address',
    'Send this and all later requests to the address in data.address. Nothing was stored here.',
  ),
  PAYMENT_SERVICE_MOVING: entry(
    503,
    'The payment service is moving to another database',
    'Nothing was stored. Retry the same request after Retry-After: a move delays requests for some seconds.',
  ),
  NO_PAYMENT_METHOD: entry(
    503,
    'No payment method can collect this',
    'Nothing was stored. Use development tokens with the simulated method, or let the operator configure a method.',
  ),
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof CATALOGUE;

/** A sentence in both languages. */
export type InBoth = Readonly<Record<Language, string>>;

/** A limit of `most` in `windowMs`: what is left, and the milliseconds until the count starts again. */
export type SpentLimit = { name: string; most: number; windowMs: number; remaining: number; resetMs: number };

export type ProblemExtras = {
  /** The details of this case: public text, without secrets or personal data. */
  detail?: InBoth;
  errors?: ErrorItem[];
  /** Further members that older clients read, such as the id of the transaction in conflict. */
  data?: Record<string, unknown>;
  /** How long the caller should wait, in milliseconds. */
  waitMs?: number;
  /** The address of the service that accepts the same request. */
  movedTo?: string;
  /** The exceeded limit. */
  spent?: SpentLimit;
  /**
   * The status, the member `error` and further members at the root, for endpoints whose published clients expect them.
   */
  legacy?: { status: number; error: string; members?: Readonly<Record<string, unknown>> };
};

/** An expected refusal. Any operation may throw it; `http/send-problem.ts` answers it. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly extras: ProblemExtras;

  constructor(code: ErrorCode, extras: ProblemExtras = {}) {
    const [first] = extras.errors ?? [];
    // It is a response and not a bug: a stack that nobody reads costs more than the rest of the refusal.
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(extras.detail?.en ?? (first === undefined ? CATALOGUE[code].title : `${first.message} ${first.fix}`));
    Error.stackTraceLimit = frames;
    this.name = 'Problem';
    this.code = code;
    this.extras = extras;
  }
}

/** Returns the refusal for an unknown id; the texts say of what. */
export function notFound(en: string, es: string): Problem {
  return new Problem('NOT_FOUND', { detail: { en, es } });
}

/** Returns the refusal of an unusable parameter; the texts say what is allowed. */
export function invalidParameter(en: string, es: string): Problem {
  return new Problem('INVALID_PARAMETER', { detail: { en, es } });
}

/** Returns the refusal of an `after` that no list has returned. */
export function notACursor(): Problem {
  const es = 'after no es un cursor. Devuelve data.next tal como vino.';
  return invalidParameter('after is not a cursor. Send back data.next as it was.', es);
}

function entry(status: number, title: string, fix: string): CatalogueEntry {
  return { status, title, fix };
}
