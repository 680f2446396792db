import type { Expectation, HostileCase } from './hostile-case.ts';
import { FIELDS, signed, signedForm, signedJson } from './signed-requests.ts';

/** One request: its first line, its headers and its body. */
type Draft = {
  title: string;
  first?: string;
  /** Follow `Host` and the JSON content type, unless the draft has `allHeaders`. */
  headers?: readonly string[];
  allHeaders?: readonly string[];
  body?: string | Buffer;
  expect: Expectation;
};

const accept: Expectation = { class: 'accept', status: [200], code: null };
const malformed = reject(400, 'HTTP_MALFORMED');
const unsupported = reject(415, 'UNSUPPORTED_MEDIA_TYPE');
const notFound = reject(404, 'NOT_FOUND');
const wrongMethod = reject(405, 'METHOD_NOT_ALLOWED');
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function reject(status: number, code: string | string[] | null): Expectation {
  return { class: 'reject', status: [status], code };
}

const firstLines: readonly [string, Expectation][] = [
  ['POST /trxs HTTP/1.0', accept],
  ['POST /v2/trxs HTTP/1.1', accept],
  ['post /trxs HTTP/1.1', malformed],
  ['POSTX /trxs HTTP/1.1', malformed],
  ['BREW /trxs HTTP/1.1', malformed],
  ['POST\t/trxs HTTP/1.1', malformed],
  ['POST /trxs http/1.1', malformed],
  ['POST /trxs HTTP/2.0', malformed],
  ['POST /trxs HTTP/1.1 x', malformed],
  ['POST /trxs HTTP/1.10', malformed],
  ['POST /trxs HTTP/01.1', malformed],
  ['POST /tr xs HTTP/1.1', malformed],
  ['POST /trxs\0 HTTP/1.1', malformed],
  ['POST /trxs\x7f HTTP/1.1', malformed],
  ['POST trxs HTTP/1.1', malformed],
  ['POST * HTTP/1.1', malformed],
  ['OPTIONS * HTTP/1.1', malformed],
  ['POST ?x HTTP/1.1', malformed],
  ['POST https://localhost/trxs HTTP/1.1', malformed],
  ['POST http:/trxs HTTP/1.1', malformed],
  ['PRI * HTTP/2.0', malformed],
  ['POST //localhost/trxs HTTP/1.1', notFound],
  ['POST /trxs/ HTTP/1.1', notFound],
  ['POST /TRXS HTTP/1.1', notFound],
  ['POST /trxs;a=b HTTP/1.1', notFound],
  ['POST /./trxs HTTP/1.1', notFound],
  ['POST /v2/../trxs HTTP/1.1', notFound],
  ['POST /%74rxs HTTP/1.1', notFound],
  ['POST /trxs%00 HTTP/1.1', notFound],
  ['POST /trxs%2f HTTP/1.1', notFound],
  ['POST /trxs%zz HTTP/1.1', notFound],
  ['POST /trxs%ff?a=%ff HTTP/1.1', notFound],
  ['POST /\\trxs HTTP/1.1', notFound],
  ['POST /trxs\xe9 HTTP/1.1', malformed],
  ['POST /trxs? HTTP/1.1', reject(400, 'UNEXPECTED_QUERY')],
  ['POST /trxs?%ff HTTP/1.1', reject(400, 'UNEXPECTED_QUERY')],
  ['POST /trxs?__proto__=1 HTTP/1.1', reject(400, 'UNEXPECTED_QUERY')],
  [`POST /${'a'.repeat(9000)} HTTP/1.1`, reject(431, 'HEADERS_TOO_LARGE')],
  ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'QUERY', 'M-SEARCH', 'LINK'].map(
    (method): [string, Expectation] => [`${method} /trxs HTTP/1.1`, wrongMethod],
  ),
];

const headers: Draft[] = [
  { title: 'unknown headers, one twice', headers: ['X-Anything: 1', 'x-anything: 2', 'X_Anything: 3'], expect: accept },
  { title: 'an offer to upgrade', headers: ['Connection: Upgrade, close', 'Upgrade: websocket'], expect: accept },
  {
    title: 'an offer of HTTP/2',
    headers: ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AA'],
    expect: accept,
  },
  { title: 'Expect: 100-continue', headers: ['Expect: 100-continue'], expect: accept },
  {
    title: 'Expect: 100-continue and more',
    headers: ['Expect: 100-continue, 200-ok'],
    expect: reject(417, 'EXPECTATION_FAILED'),
  },
  { title: 'another method by header', headers: ['X-HTTP-Method-Override: DELETE'], expect: accept },
  {
    title: 'another address by header',
    headers: ['X-Original-URL: /healthz', 'X-Rewrite-URL: /healthz'],
    expect: accept,
  },
  { title: 'an empty Host', allHeaders: ['Host:', 'Content-Type: application/json'], expect: malformed },
  { title: 'space before a colon', headers: ['X-A : b'], expect: malformed },
  { title: 'no colon', headers: ['X-A'], expect: malformed },
  { title: 'no header name', headers: [': b'], expect: malformed },
  { title: 'a space in a header name', headers: ['X A: b'], expect: malformed },
  { title: 'a parenthesis in a header name', headers: ['X(A): b'], expect: malformed },
  { title: 'a letter beyond ASCII in a header name', headers: ['X\xe9: b'], expect: malformed },
  { title: 'NUL in a header value', headers: ['X-A: b\0c'], expect: malformed },
  { title: 'CR in a header value', headers: ['X-A: b\rc'], expect: malformed },
  { title: 'LF in a header value', headers: ['X-A: b\nc'], expect: malformed },
  {
    title: 'one header of 8,000 bytes beside those that an HTTP client adds',
    headers: [
      `X-A: ${'b'.repeat(8000)}`,
      'User-Agent: node',
      'Accept: */*',
      'Accept-Language: *',
      'Accept-Encoding: gzip, deflate',
    ],
    expect: accept,
  },
  {
    title: 'one header of 9,000 bytes',
    headers: [`X-A: ${'b'.repeat(9000)}`],
    expect: reject(431, 'HEADERS_TOO_LARGE'),
  },
  {
    title: '65 headers',
    headers: Array.from({ length: 62 }, (_, at) => `X-${at}: b`),
    expect: reject(431, 'HEADERS_TOO_LARGE'),
  },
  { title: 'compression', headers: ['Content-Encoding: gzip'], expect: unsupported },
  ...['Host', 'Content-Type', 'Content-Encoding', 'Authorization', 'X-Api-Key'].map((name) => ({
    title: `${name} twice`,
    headers: [`${name}: a`, `${name.toLowerCase()}: a`],
    expect: reject(400, 'DUPLICATE_HEADER'),
  })),
  ...['Content_Type', 'CONTENT_LENGTH', 'Transfer_Encoding', 'X_Api_Key', 'X_Forwarded_For', 'X-Forwarded_For'].map(
    (name) => ({
      title: `${name}, a twin of another header`,
      headers: [`${name}: a`],
      expect: reject(400, 'INVALID_HEADER'),
    }),
  ),
];

const lengths: Draft[] = ['+5', '-1', '0x10', '', '5, 5', '5 5', '5;', '1e2', '99999999999999999999'].map((length) => ({
  title: `Content-Length: ${length}`,
  headers: [`Content-Length: ${length}`],
  expect: malformed,
}));

const codings: Draft[] = [
  ...[
    'identity',
    'chunked, chunked',
    'chunked, identity',
    'gzip',
    '"chunked"',
    'chunked;q=1',
    '',
    ',chunked',
    '\x0bchunked',
  ].map((coding) => ({
    title: `Transfer-Encoding: ${JSON.stringify(coding)}`,
    headers: [`Transfer-Encoding: ${coding}`],
    body: chunked(signedJson()),
    expect: malformed,
  })),
  {
    title: 'Transfer-Encoding twice',
    headers: ['Transfer-Encoding: chunked', 'transfer-encoding: chunked'],
    body: chunked(signedJson()),
    expect: reject(400, ['DUPLICATE_HEADER', 'HTTP_MALFORMED']),
  },
  {
    title: 'chunks in HTTP/1.0',
    first: 'POST /trxs HTTP/1.0',
    headers: ['Transfer-Encoding: chunked'],
    body: chunked(signedJson()),
    expect: malformed,
  },
  ...[
    { title: 'ordinary chunks', body: chunked(signedJson(), 100), expect: accept },
    { title: 'chunks of one byte', body: chunked(signedJson(), 1), expect: accept },
    { title: 'a coding in capitals', coding: 'CHUNKED', body: chunked(signedJson()), expect: accept },
    { title: 'a chunk with an extension', body: chunked(signedJson()).replace('\r\n', ';a=b\r\n'), expect: accept },
    { title: 'a trailer', body: chunked(signedJson()).replace(/\r\n$/, 'X-A: b\r\n\r\n'), expect: malformed },
    {
      title: 'a trailer that names an account',
      body: chunked(signedJson()).replace(/\r\n$/, 'Authorization: Bearer a\r\n\r\n'),
      expect: malformed,
    },
    { title: 'a negative chunk', body: '-1\r\n{}\r\n0\r\n\r\n', expect: malformed },
    { title: 'a signed chunk', body: '+2\r\n{}\r\n0\r\n\r\n', expect: malformed },
    { title: 'a chunk without size', body: '\r\n{}\r\n0\r\n\r\n', expect: malformed },
    { title: 'a chunk beyond 64 bits', body: 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n', expect: malformed },
    { title: 'a chunk that is longer than it says', body: '1\r\n{}\r\n0\r\n\r\n', expect: malformed },
    { title: 'chunks that end in LF', body: '2\n{}\n0\n\n', expect: malformed },
    {
      title: 'more in chunks than a body may have',
      body: chunked(' '.repeat(17_000), 1000),
      expect: reject(413, 'PAYLOAD_TOO_LARGE'),
    },
  ].map(({ title, coding = 'chunked', body, expect }) => ({
    title,
    headers: [`Transfer-Encoding: ${coding}`],
    body,
    expect,
  })),
];

const mediaTypes: readonly [string, Expectation][] = [
  ['application/json;charset=utf-8', accept],
  ['Application/JSON ; Charset="UTF-8"', accept],
  ['application/json; charset=utf8', accept],
  ['application/json;', accept],
  ['', unsupported],
  ['application/json, text/plain', unsupported],
  ['text/plain, application/json', unsupported],
  ['application/jsonx', unsupported],
  ['xapplication/json', unsupported],
  ['application/ld+json', unsupported],
  ['application/json; charset=utf-16', unsupported],
  ['application/json; charset=utf-7', unsupported],
  ['application/json; charset=latin1', unsupported],
  ['application/json; charset=utf-8; charset=utf-16', unsupported],
  ['application/json; boundary=x', unsupported],
  ['application/json; charset=utf-8\x0b', malformed],
  ['multipart/form-data; boundary=x', unsupported],
  ['text/json', unsupported],
  ['*/*', unsupported],
];

const jsonBodies: readonly [string, string | Buffer, Expectation][] = [
  ['16 KiB', signedJson().padEnd(16_384), accept],
  ['16 KiB and one byte', signedJson().padEnd(16_385), reject(413, 'PAYLOAD_TOO_LARGE')],
  ['a byte order mark', `\ufeff${signedJson()}`, reject(400, 'INVALID_ENCODING')],
  ['UTF-16', Buffer.from(signedJson(), 'utf16le'), reject(400, ['INVALID_JSON', 'INVALID_ENCODING'])],
  [
    'an overlong slash',
    Buffer.from(signedJson().replace('buyer', 'b\xc0\xafr'), 'latin1'),
    reject(400, 'INVALID_ENCODING'),
  ],
  ['a no-break space between tokens', signedJson().replace(',', ',\u00a0'), reject(400, 'INVALID_JSON')],
  ['a form feed between tokens', signedJson().replace(',', ',\f'), reject(400, 'INVALID_JSON')],
  ['a comma at the end', signedJson().replace('}', ',}'), reject(400, 'INVALID_JSON')],
  ['two objects', signedJson() + signedJson(), reject(400, 'INVALID_JSON')],
  ['a line of NDJSON', `${signedJson()}\n{}`, reject(400, 'INVALID_JSON')],
  ['a leading zero', withNumber('x_amount', '01000'), reject(400, 'INVALID_JSON')],
  ['a bare fraction', withNumber('x_amount', '.5'), reject(400, 'INVALID_JSON')],
  ['a number that ends in a point', withNumber('x_amount', '1000.'), reject(400, 'INVALID_JSON')],
  ['a number beyond a double', withNumber('x_amount', '1e400'), reject(400, 'INVALID_AMOUNT')],
  ['a fraction of 300 zeros', withNumber('x_amount', `1000.${'0'.repeat(300)}`), reject(400, 'INVALID_AMOUNT')],
  ['six hundred thousand with a point', withNumber('x_amount', '600.000'), reject(400, 'INVALID_AMOUNT')],
  ['a fraction of two zeros', withNumber('x_amount', '1000.00'), accept],
  ['a number of 5,000 digits', withNumber('x_amount', '1'.repeat(5000)), reject(400, 'FIELD_TOO_LONG')],
  ['2^53 + 1 as reference', withNumber('x_reference', '9007199254740993'), accept],
  ['a negative reference', withNumber('x_reference', '-5'), accept],
  ['a number as session', withNumber('x_session_id', '12345'), reject(400, 'INVALID_TYPE')],
  [
    'a name with a Cyrillic letter',
    signedJson().replace('x_amount', 'x_am\u043eunt'),
    reject(400, ['UNKNOWN_FIELD', 'MISSING_FIELD']),
  ],
  [
    'a name with NUL',
    signedJson().replace('x_amount', 'x_amount\\u0000'),
    reject(400, ['CONTROL_CHARACTER', 'UNKNOWN_FIELD']),
  ],
  ['the same name spelt twice', withMore('"\\u0078_amount":"2000"'), reject(400, 'DUPLICATE_KEY')],
  ['an unsigned object', withMore('"x_products":[{"a":[1]}]'), accept],
  ['an unsigned object that is text', withMore('"x_products":"a"'), reject(400, 'INVALID_TYPE')],
  ['an unsigned object five deep', withMore('"x_products":[[[[1]]]]'), reject(400, 'JSON_TOO_DEEP')],
  [
    'a prototype inside an unsigned object',
    withMore('"x_document":{"__proto__":{"a":1}}'),
    reject(400, 'FORBIDDEN_KEY'),
  ],
  ['a name twice inside an unsigned object', withMore('"x_document":{"a":1,"a":2}'), reject(400, 'DUPLICATE_KEY')],
  ['64 brackets', '['.repeat(64), reject(400, ['INVALID_JSON', 'JSON_TOO_DEEP'])],
  ['16,000 brackets', '['.repeat(16_000), reject(400, ['INVALID_JSON', 'JSON_TOO_DEEP'])],
  [
    'a signature over the fields of another order',
    JSON.stringify({ ...signed(), x_reference: 'OWN-2' }),
    reject(401, 'SIGNATURE_INVALID'),
  ],
  [
    'a signature over nothing',
    JSON.stringify({ ...FIELDS, x_signature: '0'.repeat(64) }),
    reject(401, 'SIGNATURE_INVALID'),
  ],
  ['an account that tries to be SQL', signedJson({ x_account_id: "' or 1=1 --" }), reject(401, 'SIGNATURE_INVALID')],
  ['a line feed in the account', signedJson({ x_account_id: 'a\nb' }), reject(400, 'CONTROL_CHARACTER')],
  [
    'the callback of another service',
    signedJson({ x_url_callback: 'https://[::ffff:127.0.0.1]/' }),
    reject(400, ['URL_NOT_ALLOWED', 'INVALID_URL']),
  ],
  [
    'a callback to a decimal address',
    signedJson({ x_url_callback: 'https://2130706433/' }),
    reject(400, 'INVALID_URL'),
  ],
  [
    'a callback to a name of a zone',
    signedJson({ x_url_callback: 'https://a.localhost/' }),
    reject(400, ['URL_NOT_ALLOWED', 'INVALID_URL']),
  ],
];

const formBodies: readonly [string, string, Expectation][] = [
  ['a plain form', signedForm(), accept],
  ['pairs without content', `&&${signedForm().replace('&', '&&')}&`, accept],
  ['a plus for a space', signedForm({ x_session_id: 'sess 1' }), accept],
  ['nothing', '', reject(400, 'MISSING_FIELD')],
  ['JSON', signedJson(), reject(415, ['UNSUPPORTED_MEDIA_TYPE'])],
  ['a field twice', `${signedForm()}&x_amount=2000`, reject(400, 'DUPLICATE_KEY')],
  ['a field twice through an escape', `${signedForm()}&x%5Famount=2000`, reject(400, 'DUPLICATE_KEY')],
  [
    'a field as a list',
    signedForm().replace('x_amount=', 'x_amount%5B%5D='),
    reject(400, ['UNKNOWN_FIELD', 'MISSING_FIELD']),
  ],
  ['a prototype', `${signedForm()}&__proto__=1`, reject(400, ['UNKNOWN_FIELD', 'FORBIDDEN_KEY'])],
  ['semicolons between pairs', signedForm().replaceAll('&', ';'), reject(400, ['AMBIGUOUS_FIELD', 'MISSING_FIELD'])],
  ['half an escape', `${signedForm()}%2`, reject(400, 'INVALID_ENCODING')],
  ['an escape of other letters', `${signedForm()}%zz`, reject(400, 'INVALID_ENCODING')],
  ['an overlong escape', `${signedForm()}%C0%AF`, reject(400, 'INVALID_ENCODING')],
  ['an escaped surrogate', `${signedForm()}%ED%A0%80`, reject(400, 'INVALID_ENCODING')],
  ['an escaped NUL', signedForm().replace('OWN-1', 'OWN%00'), reject(400, 'CONTROL_CHARACTER')],
  ['an escape of an escape', signedForm({ x_reference: '%0d%0a' }), accept],
  ['a byte order mark', `\ufeff${signedForm()}`, reject(400, 'INVALID_ENCODING')],
  ['100 fields', Array.from({ length: 100 }, (_, at) => `f${at}=1`).join('&'), reject(400, 'TOO_MANY_FIELDS')],
  ['8,000 ampersands', '&'.repeat(8000), reject(400, 'MISSING_FIELD')],
];

/**
 * Requests beyond the shared corpus. Each must get its class of response, exactly one response, and leave nothing
 * behind.
 */
export const OWN_CASES: readonly HostileCase[] = [
  ...firstLines.map(([first, expect]) => ({ title: JSON.stringify(first).slice(0, 60), first, expect })),
  ...headers,
  ...lengths,
  ...codings,
  ...mediaTypes.map(([type, expect]) => ({
    title: `Content-Type: ${JSON.stringify(type)}`,
    allHeaders: ['Host: localhost', `Content-Type: ${type}`],
    expect,
  })),
  ...jsonBodies.map(([title, body, expect]) => ({ title: `JSON: ${title}`, body, expect })),
  ...formBodies.map(([title, body, expect]) => ({
    title: `form: ${title}`,
    body,
    allHeaders: ['Host: localhost', FORM],
    expect,
  })),
].map((draft: Draft, at) => ({
  id: `O${String(at + 1).padStart(3, '0')}`,
  endpoint: 'POST /trxs',
  category: 'own',
  title: draft.title,
  request: { raw_base64: bytesOf(draft).toString('base64') },
  expect: draft.expect,
}));

function bytesOf({ first = 'POST /trxs HTTP/1.1', headers = [], allHeaders, body = signedJson() }: Draft): Buffer {
  const lines = allHeaders ?? ['Host: localhost', 'Content-Type: application/json', ...headers];
  const framed = lines.some((line) => /^(?:content-length|transfer-encoding):/i.test(line));
  const length = framed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([Buffer.from([first, ...lines, ...length, '', ''].join('\r\n'), 'latin1'), Buffer.from(body)]);
}

function withNumber(name: string, text: string): string {
  return signedJson({ [name]: text }).replace(`"${name}":"${text}"`, `"${name}":${text}`);
}

function withMore(members: string): string {
  return signedJson().replace('}', `,${members}}`);
}

function chunked(text: string, size = text.length): string {
  let chunks = '';
  for (let at = 0; at < text.length; at += size) {
    const part = text.slice(at, at + size);
    chunks += `${part.length.toString(16)}\r\n${part}\r\n`;
  }
  return `${chunks}0\r\n\r\n`;
}
