import type { CauseCode } from '../../protocol/signature-causes.ts';
import type { SigningCode } from '../../protocol/signing-error.ts';
import type { ErrorCode } from '../error-catalogue.ts';

type Pair = readonly [wrong: string, right: string];

/** For each cause, the wrong code beside the right code. `secret` is the Secret Token, `message` the text to sign. */
export const CAUSE_EXAMPLES: Readonly<Record<CauseCode, Pair>> = {
  SECRET_OF_OTHER_ENVIRONMENT: [
    'HMAC(secret of production, message of development)',
    'HMAC(secret of development, message of development)',
  ],
  SECRET_ROTATED: ['HMAC(old secret, message)', 'HMAC(new secret, message)'],
  OTHER_SECRET: ['HMAC(other secret, message)', 'HMAC(secret, message)'],
  SERVICE_TOKEN_AS_SECRET: ['HMAC(x_account_id, message)', 'HMAC(secret, message)'],
  SECRET_WITH_WHITESPACE: ['HMAC("abc\\n", message)', 'HMAC("abc", message)'],
  SECRET_WITH_QUOTES: ['HMAC("\'abc\'", message)', 'HMAC("abc", message)'],
  SECRET_DECODED: ['HMAC(hexToBytes(secret), message)', 'HMAC(secret, message)'],
  SECRET_ENCODED: ['HMAC(base64(secret), message)', 'HMAC(secret, message)'],
  SECRET_CASE_CHANGED: ['HMAC(upper(secret), message)', 'HMAC(secret, message)'],
  SECRET_EMPTY: ['HMAC("", message)', 'HMAC(secret, message)'],
  SIGNATURE_IN_UPPER_CASE: ['3B2F…', '3b2f…'],
  SIGNATURE_IN_BASE64: ['Oy/…=', '3b2f…'],
  SIGNATURE_WITH_PREFIX: ['sha256=3b2f…', '3b2f…'],
  SIGNATURE_WITH_WHITESPACE: ['"3b2f…\\n"', '"3b2f…"'],
  SIGNATURE_ENCODED_TWICE: ['hex("3b2f…")', '3b2f…'],
  SIGNATURE_MALFORMED: ['my-signature', '64 hexadecimal digits'],
  WRONG_HASH: ['HMAC-SHA1(secret, message)', 'HMAC-SHA256(secret, message)'],
  HASH_WITHOUT_KEY: ['SHA256(message)', 'HMAC-SHA256(secret, message)'],
  KEY_AND_MESSAGE_SWAPPED: ['HMAC(key = message, text = secret)', 'HMAC(key = secret, text = message)'],
  SECRET_IN_MESSAGE: ['HMAC(secret, message + secret)', 'HMAC(secret, message)'],
  MESSAGE_HASHED_FIRST: ['HMAC(secret, SHA256(message))', 'HMAC(secret, message)'],
  FIELDS_NOT_SORTED: ['x_currencyCLPx_amount1000', 'x_amount1000x_currencyCLP'],
  FIELDS_SORTED_BY_VALUE: ['x_shop_countryCLx_currencyCLP…', 'x_currencyCLPx_shop_countryCL…'],
  FIELDS_SORTED_WITH_VALUES: ['sort(name + value)', 'sort by name, then join name + value'],
  SEPARATORS_ADDED: ['x_amount=1000&x_currency=CLP', 'x_amount1000x_currencyCLP'],
  NAMES_NOT_SIGNED: ['1000CLP', 'x_amount1000x_currencyCLP'],
  NAMES_CHANGED: ['amount1000currencyCLP', 'x_amount1000x_currencyCLP'],
  JSON_SIGNED: ['{"x_amount":"1000","x_currency":"CLP"}', 'x_amount1000x_currencyCLP'],
  URL_ENCODED_MESSAGE: ['x_amount=1000&x_currency=CLP', 'x_amount1000x_currencyCLP'],
  TRAILING_NEWLINE: ['x_amount1000x_currencyCLP\\n', 'x_amount1000x_currencyCLP'],
  FIELD_NOT_SIGNED: ['sign({x_amount}), send {x_amount, x_currency}', 'sign and send {x_amount, x_currency}'],
  FIELD_SIGNED_BUT_NOT_SENT: ['sign({x_amount, x_note}), send {x_amount}', 'sign and send {x_amount}'],
  SIGNATURE_FIELD_SIGNED: ['…x_signaturex_url_callbackhttps://…', '…x_url_callbackhttps://…'],
  UNPREFIXED_FIELD_SIGNED: ['submitPagarx_amount1000', 'x_amount1000'],
  OBJECT_SIGNED: ['…x_products[object Object]…', 'x_products is sent and not signed'],
  NULL_PRINTED: ['x_customer_emailnull', 'x_customer_emailbuyer@example.cl'],
  BOOLEAN_PRINTED: ['x_testTrue', 'x_testtrue'],
  NUMBER_PRINTED_DIFFERENTLY: ['sign 1000.0, send 1000', 'sign 1000, send 1000'],
  PLUS_AND_SPACE: ['ana+shop@example.cl → ana shop@example.cl', 'ana%2Bshop@example.cl → ana+shop@example.cl'],
  URL_ENCODED_VALUE: ['x_url_callbackhttps%3A%2F%2Fshop.cl', 'x_url_callbackhttps://shop.cl'],
  URL_DECODED_VALUE: ['encode(encode(value))', 'encode(value)'],
  HTML_ENTITIES: ['https://shop.cl/?a=1&amp;b=2', 'https://shop.cl/?a=1&b=2'],
  LATIN_1: ['Pe\\xF1a', 'Pe\\xC3\\xB1a'],
  UNICODE_CHANGED: ['n + ◌̃', 'ñ'],
  BACKSLASHES_ADDED: ['https:\\/\\/shop.cl', 'https://shop.cl'],
  SURROUNDING_SPACE: ['"ORD-1042 "', '"ORD-1042"'],
  CASE_CHANGED: ['sign ana@example.cl, send Ana@example.cl', 'sign and send Ana@example.cl'],
  TRAILING_SLASH: ['sign https://shop.cl, send https://shop.cl/', 'sign and send https://shop.cl/'],
  EMPTY_WHEN_SIGNED: ['x_session_id', 'x_session_idsess-0001'],
};

/** Examples of errors that only the SDK finds: in a callback, or before a request is sent. */
export const SDK_EXAMPLES: Readonly<Record<Exclude<SigningCode, ErrorCode>, Pair>> = {
  INVALID_TIMESTAMP: ['"x_timestamp": "15-01-2026 12:00"', '"x_timestamp": "2026-01-15T12:00:00.000Z"'],
  INVALID_RESULT: ['"x_result": "paid"', '"x_result": "completed"'],
  INVALID_TEST: ['"x_test": "1"', '"x_test": "true"'],
  ACCOUNT_MISMATCH: [
    'expected: {account: "Service Token of another shop"}',
    'expected: {account: "your Service Token"}',
  ],
  REFERENCE_MISMATCH: ['order ORD-1042, callback ORD-1043', 'order ORD-1042, callback ORD-1042'],
  AMOUNT_MISMATCH: ['order 12990, callback 1299', 'order 12990, callback 12990'],
  CURRENCY_MISMATCH: ['order CLP, callback USD', 'order CLP, callback CLP'],
  TEST_MISMATCH: ['order of production, "x_test": "true"', 'order of production, "x_test": "false"'],
  WEBHOOK_HEADERS_MISSING: ['verifyCallback({body})', 'verifyCallback({body, headers})'],
  WEBHOOK_SIGNATURE_INVALID: ['JSON.stringify(request.body)', 'the bytes as they came'],
  WEBHOOK_TIME_REFUSED: ['webhook-timestamp of yesterday', 'webhook-timestamp of now'],
};
