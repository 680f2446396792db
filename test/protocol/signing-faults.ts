import { createHash, createHmac } from 'node:crypto';

export const secret = '5f3a9c1e7b2d4f60a1b2c3d4e5f60718';
export const production = 'Xk29-production-secret';
export const rotated = 'the-secret-before';

/** The fields in the order of the old documentation, with values that every wrong encoding changes. */
const request: Record<string, unknown> = {
  x_account_id: 'Svc-0123456789abcdef0123456789abcdef0123',
  x_amount: 1000,
  x_currency: 'CLP',
  x_reference: "Pedido ñ 1 d'Ana",
  x_customer_email: 'Ana+shop@example.cl',
  x_url_complete: 'https://shop.test/complete',
  x_url_cancel: 'https://shop.test/cancel?order=1&step=2',
  x_url_callback: 'https://shop.test/callback?order=1&token=a%20b',
  x_shop_country: 'CL',
  x_session_id: 'sess-000001',
};
const products = [{ name: 'Té/café', qty: 2, gift: true, note: null }];

/**
 * A shop's program: the fields that it sends, the fields that it signs, and its method. It shares no code with the
 * explainer.
 */
type Client = {
  sent: Record<string, unknown>;
  signed: Map<string, string>;
  names: (signed: Map<string, string>) => string[];
  join: (name: string, value: string) => string;
  finish: (message: string) => string;
  encoding: 'utf8' | 'latin1';
  secret: string | Buffer;
  mac: (secret: string | Buffer, message: Buffer) => Buffer;
  print: (digest: Buffer) => string;
};

/**
 * One mistake in that program. `kind` is the step with the mistake: of two mistakes in one step the second undoes the
 * first.
 */
export type Fault = {
  kind: string;
  name: string;
  code: string;
  field: string | null;
  spoil: (client: Client) => Partial<Client>;
};

/** Returns the body that a program with these mistakes posts. */
export function bodyWith(...mistakes: readonly Fault[]): string {
  const client = faultless();
  for (const fault of mistakes) Object.assign(client, fault.spoil(client));
  const parts = client.names(client.signed).map((name) => client.join(name, client.signed.get(name) ?? ''));
  const message = Buffer.from(client.finish(parts.join('')), client.encoding);
  return JSON.stringify({ ...client.sent, x_signature: client.print(client.mac(client.secret, message)) });
}

function faultless(): Client {
  return {
    sent: { ...request },
    signed: new Map(Object.entries(request).map(([name, value]) => [name, String(value)])),
    names: (signed) => [...signed.keys()].sort(),
    join: (name, value) => name + value,
    finish: (message) => message,
    encoding: 'utf8',
    secret,
    mac: (key, message) => createHmac('sha256', key).update(message).digest(),
    print: (digest) => digest.toString('hex'),
  };
}

type Spoil = Fault['spoil'];

function step(kind: string, name: string, code: string, spoil: Spoil, field: string | null = null): Fault {
  return { kind, name, code, field, spoil };
}

/** Returns a mistake that sends the right value and signs another one. */
function signedAs(name: string, code: string, field: string, change: (text: string) => string): Fault {
  const spoil: Spoil = ({ signed }) => ({ signed: new Map(signed).set(field, change(signed.get(field) ?? '')) });
  return { kind: field, name, code, field, spoil };
}

/** Returns a mistake that sends another value, and signs a text form of it. */
function sentWith(name: string, code: string, field: string, value: unknown, printed: string): Fault {
  const spoil: Spoil = (client) => ({
    sent: { ...client.sent, [field]: value },
    signed: new Map(client.signed).set(field, printed),
  });
  return { kind: field, name, code, field, spoil };
}

function leftOut(field: string): Fault {
  const spoil: Spoil = ({ signed }) => ({ signed: new Map([...signed].filter(([name]) => name !== field)) });
  return { kind: field, name: `${field} left out`, code: 'FIELD_NOT_SIGNED', field, spoil };
}

function key(name: string, code: string, change: (secret: string) => string | Buffer): Fault {
  return step('key', name, code, (client) => ({ secret: change(String(client.secret)) }));
}

function printed(name: string, code: string, print: (digest: Buffer) => string): Fault {
  return step('print', name, code, () => ({ print }), 'x_signature');
}

function hashed(hash: string): Fault {
  const mac: Client['mac'] = (text, message) => createHmac(hash, text).update(message).digest();
  return step('key', hash, 'WRONG_HASH', () => ({ mac }), 'x_signature');
}

function macced(name: string, code: string, mac: Client['mac']): Fault {
  return step('key', name, code, () => ({ mac }));
}

function ordered(name: string, code: string, names: (signed: Map<string, string>) => string[]): Fault {
  return step('order', name, code, () => ({ names }));
}

function joined(name: string, code: string, join: Client['join'], finish: Client['finish'] = (text) => text): Fault {
  return step('join', name, code, () => ({ join, finish }));
}

const sha256 = (...pieces: (string | Buffer)[]) =>
  createHash('sha256')
    .update(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))))
    .digest();

export const faults: readonly Fault[] = [
  key('the secret of production', 'SECRET_OF_OTHER_ENVIRONMENT', () => production),
  key('a rotated secret', 'SECRET_ROTATED', () => rotated),
  key('a secret with a line feed', 'SECRET_WITH_WHITESPACE', (text) => `${text}\n`),
  key('a secret with a space', 'SECRET_WITH_WHITESPACE', (text) => `${text} `),
  key('a secret in quotes', 'SECRET_WITH_QUOTES', (text) => `"${text}"`),
  key('a secret read as hexadecimal', 'SECRET_DECODED', (text) => Buffer.from(text, 'hex')),
  key('a secret in base64', 'SECRET_ENCODED', (text) => Buffer.from(text).toString('base64')),
  key('a secret in capitals', 'SECRET_CASE_CHANGED', (text) => text.toUpperCase()),
  key('the Service Token as the secret', 'SERVICE_TOKEN_AS_SECRET', () => String(request.x_account_id)),
  key('no secret', 'SECRET_EMPTY', () => ''),
  macced('a hash without a key', 'HASH_WITHOUT_KEY', (_, message) => sha256(message)),
  macced('key and message swapped', 'KEY_AND_MESSAGE_SWAPPED', (text, message) =>
    createHmac('sha256', message).update(text).digest(),
  ),
  macced('a hash of secret and message', 'SECRET_IN_MESSAGE', (text, message) => sha256(text, message)),
  macced('a message hashed first', 'MESSAGE_HASHED_FIRST', (text, message) =>
    createHmac('sha256', text).update(sha256(message).toString('hex')).digest(),
  ),
  hashed('sha1'),
  hashed('sha512'),
  hashed('md5'),
  printed('upper-case hexadecimal', 'SIGNATURE_IN_UPPER_CASE', (digest) => digest.toString('hex').toUpperCase()),
  printed('base64', 'SIGNATURE_IN_BASE64', (digest) => digest.toString('base64')),
  printed('base64url', 'SIGNATURE_IN_BASE64', (digest) => digest.toString('base64url')),
  printed('base64 of the hexadecimal text', 'SIGNATURE_ENCODED_TWICE', (digest) =>
    Buffer.from(digest.toString('hex')).toString('base64'),
  ),
  printed('a prefix', 'SIGNATURE_WITH_PREFIX', (digest) => `sha256=${digest.toString('hex')}`),
  printed('dashes', 'SIGNATURE_WITH_PREFIX', (digest) =>
    digest
      .toString('hex')
      .replaceAll(/..(?!$)/g, '$&-')
      .toUpperCase(),
  ),
  printed('a space around the signature', 'SIGNATURE_WITH_WHITESPACE', (digest) => `${digest.toString('hex')} `),
  ordered('fields as they were sent', 'FIELDS_NOT_SORTED', (signed) => [...signed.keys()]),
  ordered('fields from last to first', 'FIELDS_NOT_SORTED', (signed) => [...signed.keys()].sort().toReversed()),
  ordered('fields sorted by value', 'FIELDS_SORTED_BY_VALUE', (signed) =>
    [...signed].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([name]) => name),
  ),
  joined(
    'a query string',
    'SEPARATORS_ADDED',
    (name, value) => `&${name}=${value}`,
    (message) => message.slice(1),
  ),
  joined('equals signs', 'SEPARATORS_ADDED', (name, value) => `${name}=${value}`),
  joined('values without names', 'NAMES_NOT_SIGNED', (_, value) => value),
  joined('names in capitals', 'NAMES_CHANGED', (name, value) => name.toUpperCase() + value),
  joined('names without x_', 'NAMES_CHANGED', (name, value) => name.slice(2) + value),
  joined(
    'an encoded query string',
    'URL_ENCODED_MESSAGE',
    (name, value) => `&${new URLSearchParams({ [name]: value }).toString()}`,
    (message) => message.slice(1),
  ),
  joined(
    'JSON',
    'JSON_SIGNED',
    (name, value) => `,${JSON.stringify(name)}:${name === 'x_amount' ? value : JSON.stringify(value)}`,
    (message) => `{${message.slice(1)}}`,
  ),
  step('encoding', 'a message in Latin-1', 'LATIN_1', () => ({ encoding: 'latin1' }), 'x_reference'),
  step('finish', 'a line feed after the message', 'TRAILING_NEWLINE', ({ finish }) => ({
    finish: (message) => `${finish(message)}\n`,
  })),
  signedAs('its own signature field', 'SIGNATURE_FIELD_SIGNED', 'x_signature', () => ''),
  leftOut('x_session_id'),
  leftOut('x_url_cancel'),
  signedAs('a field that was not sent', 'FIELD_SIGNED_BUT_NOT_SENT', 'x_test', () => 'true'),
  signedAs('a field that was undefined', 'FIELD_SIGNED_BUT_NOT_SENT', 'x_document', () => 'undefined'),
  sentWith('a field without x_', 'UNPREFIXED_FIELD_SIGNED', 'order_id', '7', '7'),
  sentWith('an object in JavaScript', 'OBJECT_SIGNED', 'x_products', products, '[object Object]'),
  sentWith('an object in PHP', 'OBJECT_SIGNED', 'x_products', products, 'Array'),
  sentWith('an object as JSON', 'OBJECT_SIGNED', 'x_products', products, JSON.stringify(products)),
  sentWith(
    'an object as JSON of PHP',
    'OBJECT_SIGNED',
    'x_products',
    products,
    '[{"name":"T\\u00e9\\/caf\\u00e9","qty":2,"gift":true,"note":null}]',
  ),
  sentWith(
    'an object in Python',
    'OBJECT_SIGNED',
    'x_products',
    products,
    "[{'name': 'Té/café', 'qty': 2, 'gift': True, 'note': None}]",
  ),
  sentWith(
    'an object in Ruby',
    'OBJECT_SIGNED',
    'x_products',
    products,
    '[{"name"=>"Té/café", "qty"=>2, "gift"=>true, "note"=>nil}]',
  ),
  sentWith(
    'an object flattened in Ruby',
    'OBJECT_SIGNED',
    'x_products',
    products,
    '{"name"=>"Té/café", "qty"=>2, "gift"=>true, "note"=>nil}',
  ),
  sentWith('null in PHP', 'NULL_PRINTED', 'x_session_id', null, ''),
  sentWith('null in Python', 'NULL_PRINTED', 'x_session_id', null, 'None'),
  sentWith('null in JavaScript', 'NULL_PRINTED', 'x_session_id', null, 'null'),
  sentWith('true in PHP', 'BOOLEAN_PRINTED', 'x_session_id', true, '1'),
  sentWith('true in Python', 'BOOLEAN_PRINTED', 'x_session_id', true, 'True'),
  sentWith('false in PHP', 'BOOLEAN_PRINTED', 'x_session_id', false, ''),
  signedAs('1000.0', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', () => '1000.0'),
  signedAs('1000.00', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', () => '1000.00'),
  signedAs('1e3', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', () => '1e3'),
  signedAs('1,000', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', () => '1,000'),
  sentWith('1000 for 1000.0', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', '1000.0', '1000'),
  sentWith('1000 for 1000.00', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', '1000.00', '1000'),
  sentWith('10.5 for 10.50', 'NUMBER_PRINTED_DIFFERENTLY', 'x_amount', '10.50', '10.5'),
  sentWith('a reference as a float of PHP', 'NUMBER_PRINTED_DIFFERENTLY', 'x_reference', 1700000000, '1.7E+9'),
  signedAs('a plus for a space', 'PLUS_AND_SPACE', 'x_reference', (text) => text.replaceAll(' ', '+')),
  signedAs('a space for a plus', 'PLUS_AND_SPACE', 'x_customer_email', (text) => text.replaceAll('+', ' ')),
  signedAs('an encoded URL', 'URL_ENCODED_VALUE', 'x_url_cancel', (text) => encodeURIComponent(text)),
  signedAs('an encoded reference', 'URL_ENCODED_VALUE', 'x_reference', (text) =>
    new URLSearchParams({ a: text }).toString().slice(2),
  ),
  signedAs('a decoded URL', 'URL_DECODED_VALUE', 'x_url_callback', (text) => decodeURIComponent(text)),
  signedAs('entities', 'HTML_ENTITIES', 'x_url_cancel', (text) => text.replaceAll('&', '&amp;')),
  sentWith('entities sent', 'HTML_ENTITIES', 'x_url_cancel', 'https://a.cl/no?a=1&amp;b=2', 'https://a.cl/no?a=1&b=2'),
  sentWith('UTF-8 sent as Latin-1', 'LATIN_1', 'x_reference', 'Pedido Ã± 1', 'Pedido ñ 1'),
  sentWith('UTF-8 sent as Windows-1252', 'LATIN_1', 'x_reference', 'PEDIDO Ã‘ 1', 'PEDIDO Ñ 1'),
  signedAs('UTF-8 signed as Latin-1', 'LATIN_1', 'x_reference', (text) => Buffer.from(text).toString('latin1')),
  signedAs('decomposed accents', 'UNICODE_CHANGED', 'x_reference', (text) => text.normalize('NFD')),
  signedAs('accents removed', 'UNICODE_CHANGED', 'x_reference', (text) => text.replace('ñ', 'n')),
  signedAs('escaped slashes', 'BACKSLASHES_ADDED', 'x_url_complete', (text) => text.replaceAll('/', '\\/')),
  signedAs('escaped quotes', 'BACKSLASHES_ADDED', 'x_reference', (text) => text.replaceAll("'", "\\'")),
  signedAs('a line feed after the reference', 'TRAILING_NEWLINE', 'x_reference', (text) => `${text}\n`),
  signedAs('a space after the e-mail', 'SURROUNDING_SPACE', 'x_customer_email', (text) => `${text} `),
  sentWith('a space sent after the session', 'SURROUNDING_SPACE', 'x_session_id', 'sess-1 ', 'sess-1'),
  signedAs('the e-mail in lower case', 'CASE_CHANGED', 'x_customer_email', (text) => text.toLowerCase()),
  signedAs('the country in lower case', 'CASE_CHANGED', 'x_shop_country', (text) => text.toLowerCase()),
  signedAs('a slash after the URL', 'TRAILING_SLASH', 'x_url_complete', (text) => `${text}/`),
  signedAs('an empty URL', 'EMPTY_WHEN_SIGNED', 'x_url_cancel', () => ''),
];
