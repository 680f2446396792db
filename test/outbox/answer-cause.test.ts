import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOf, type StoredAnswer } from '../../src/outbox/endpoints/answer-cause.ts';

const URL_CALLBACK = 'http://shop.example.cl/callback?order=1';

const answered = (status: number, location: string | null = null): StoredAnswer => ({
  status,
  failure: null,
  location,
});
const page = (status: number, excerpt: string): StoredAnswer => ({ ...answered(status), excerpt });
const failed = (failure: string): StoredAnswer => ({ status: null, failure, location: null });

const TABLE: [answer: StoredAnswer, cause: string | null][] = [
  [answered(200), null],
  [answered(204), null],
  [answered(302, '/thanks'), null],
  [answered(303, 'https://shop.example.cl/thanks'), null],
  [answered(302, 'https://shop.example.cl/callback'), 'it has moved (302) to https://shop.example.cl/callback'],
  [answered(301, 'https://shop.example.cl/'), 'it has moved (301) to https://shop.example.cl/'],
  [answered(304), 'a redirect (304)'],
  [answered(400), 'the shop refuses it (400)'],
  [answered(401), 'a log-in is asked for (401)'],
  [answered(403), 'it is forbidden (403)'],
  [answered(404), 'there is no such page (404)'],
  [answered(405), 'the page takes no POST (405)'],
  [answered(409), 'the shop refuses it (409)'],
  [answered(410), 'the shop wants nothing more here (410)'],
  [answered(418), 'answered 418'],
  [answered(422), 'the shop refuses it (422)'],
  [answered(429), 'the shop is asked too often (429)'],
  [answered(503), 'an error of the shop (503)'],
  [failed('timeout: ETIMEDOUT'), 'no answer within 15 seconds'],
  [failed('connect: ECONNREFUSED'), 'no connection'],
  [failed('connect: EPROXYAUTH'), 'the proxy of this service makes no connection'],
  [failed('dns: ENOTFOUND'), 'the name of the host is not found'],
  [failed('tls: CERT_HAS_EXPIRED'), 'its certificate has expired'],
  [failed('tls: ERR_TLS_CERT_ALTNAME_INVALID'), 'its certificate is for another name'],
  [failed('tls: UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'its certificate comes without its chain'],
  [failed('tls: DEPTH_ZERO_SELF_SIGNED_CERT'), 'it has signed its certificate itself'],
  [failed('tls: CERT_REVOKED'), 'its certificate is not valid'],
  [failed('tls: ERR_SSL_WRONG_VERSION_NUMBER'), 'the port answers without TLS'],
  [failed('tls: ERR_SSL_PACKET_LENGTH_TOO_LONG'), 'the port answers without TLS'],
  [failed('tls: ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'TLS fails before the certificate is seen'],
  [failed('tls: EPROTO'), 'TLS fails before the certificate is seen'],
  [failed('tls: ETIMEDOUT'), 'TLS fails before the certificate is seen'],
  [failed('tls: ECONNRESET'), 'TLS fails before the certificate is seen'],
  [answered(302, '/login?next=%2Fcallback'), 'it answers with its log-in page'],
  [answered(302, 'https://shop.example.cl/wp-login.php'), 'it answers with its log-in page'],
  [answered(302, '/blog/thanks'), null],
  [page(200, '<form><input name="p" type="password">'), 'it answers with its log-in page'],
  [page(200, 'ok'), null],
  [page(403, '<title>Attention Required! | Cloudflare'), 'a firewall answers and not the shop (Attention Required)'],
  [page(403, 'no'), 'it is forbidden (403)'],
  [page(400, '{"error":"invalid signature"}'), 'it refuses the signature (400)'],
  [page(401, 'firma inválida'), 'it refuses the signature (401)'],
  [failed('reset: ECONNRESET'), 'the connection was cut off'],
  [failed('refused_address: URL_NOT_ALLOWED'), 'the address is not public'],
  [failed('too_large: UND_ERR_HEADERS_OVERFLOW'), 'the headers of its answer are too large'],
  [failed('protocol: HTTPParserError'), 'its answer is not HTTP'],
];

for (const [answer, cause] of TABLE) {
  test(`${answer.failure ?? `${answer.status} ${answer.location ?? ''}`.trim()}: ${cause ?? 'no problem'}`, () => {
    const found = causeOf(URL_CALLBACK, answer);
    assert.equal(found?.cause ?? null, cause);
    if (cause === null) return;
    for (const language of ['es', 'en'] as const) {
      assert.match(causeOf(URL_CALLBACK, answer, language)?.fix ?? '', /^\S[^{}]*[.?]$/);
    }
  });
}
