/** The fields of a request, all mandatory and all signed, in byte order (the order of the signed message). */
export const REQUEST_FIELDS = [
  'x_account_id',
  'x_amount',
  'x_currency',
  'x_customer_email',
  'x_reference',
  'x_session_id',
  'x_shop_country',
  'x_url_callback',
  'x_url_cancel',
  'x_url_complete',
] as const;

/** The fields of a callback, all mandatory and all signed, in byte order. */
export const CALLBACK_FIELDS = [
  'x_account_id',
  'x_amount',
  'x_currency',
  'x_gateway_reference',
  'x_message',
  'x_reference',
  'x_result',
  'x_test',
  'x_timestamp',
] as const;

/**
 * Objects that a request may contain. Client families sign them differently, so they are not signed and no decision
 * depends on them.
 */
export const UNSIGNED_FIELDS = ['x_billing_details', 'x_document', 'x_products', 'x_shippment'] as const;

export const SIGNATURE_FIELD = 'x_signature';

export type RequestField = (typeof REQUEST_FIELDS)[number];
export type CallbackField = (typeof CALLBACK_FIELDS)[number];
export type UnsignedField = (typeof UNSIGNED_FIELDS)[number];

/**
 * Every name that can occur in a signed body. The signed message has no separators. It can be parsed only because no
 * name is a prefix of another, and `x` occurs in a name only as its first letter. A test checks both.
 */
export const KNOWN_NAMES: readonly string[] = [
  ...new Set<string>([...REQUEST_FIELDS, ...CALLBACK_FIELDS, ...UNSIGNED_FIELDS, SIGNATURE_FIELD]),
];

/**
 * Returns this package's string object for a known name, or `written` itself. Names are compared and looked up often,
 * which costs several times as much with a fresh slice of a body.
 */
export function sharedName(written: string): string {
  for (const name of NAMES_BY_LENGTH[written.length] ?? []) {
    if (name === written) return name;
  }
  return written;
}

const NAMES_BY_LENGTH: string[][] = [];
for (const name of KNOWN_NAMES) {
  NAMES_BY_LENGTH[name.length] ??= [];
  NAMES_BY_LENGTH[name.length]?.push(name);
}
