import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Expectation, type HostileCase, readCorpus } from './hostile-case.ts';
import { replayCase } from './replay-case.ts';
import { type ProductTarget, startProduct } from './target.ts';

const { vectors, cases } = readCorpus();

/** The personal data in requests of the corpus, which must not be logged. */
const PERSONAL = ['buyer@example', '12345678-5', '12.345.678-5', '"12345678"'];

describe('hostile requests get exactly one answer of their class, and leave nothing behind', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct();
  });
  after(() => target.close());

  for (const hostile of cases) {
    // Scenarios have separate tests.
    if (hostile.expect.class === 'scenario') continue;
    test(`${hostile.id} ${hostile.endpoint}: ${hostile.title}`, async () => {
      // Short only for slow requests, so that a slow machine does not look like a slow client.
      target.server.headersTimeout = hostile.request !== undefined && 'slow' in hostile.request ? 500 : 10_000;
      const played = withToken({ ...hostile, expect: DECIDED[hostile.id] ?? hostile.expect }, target.accessToken);
      assert.deepEqual(await replayCase(target, played, [vectors.secret, target.accessToken, ...PERSONAL]), []);
    });
  }
});

/** The cases that the corpus leaves to the service, where this service differs from the corpus. */
const DECIDED: Record<string, Expectation> = {
  // A published shop plugin sends `es`; the service ignores it.
  T165: { class: 'accept', status: [200], code: null },
  // Spaces around a RUT come from copying and do not change the person.
  B077: { class: 'accept', status: [200], code: null },
  // An empty text has the same code everywhere.
  B096: { class: 'reject', status: [422], code: 'EMPTY_FIELD' },
};

/** Replaces the corpus' invented access token by a real one, whole or without its last character. */
function withToken(hostile: HostileCase, accessToken: string): HostileCase {
  // Bearer tokens are also accepted without their scheme, because published clients send them so; this case must not
  // have a valid token.
  if (hostile.title === 'no scheme') return hostile;
  const [invented, upper] = [vectors.token, vectors.token.toUpperCase()];
  const replace = (text: string) =>
    text
      .replaceAll(invented, accessToken)
      .replaceAll(invented.slice(0, -1), accessToken.slice(0, -1))
      .replaceAll(upper, accessToken.toUpperCase());
  const { request } = hostile;
  if (request === undefined || !('headers' in request || 'raw_base64' in request)) return hostile;
  if ('headers' in request) return { ...hostile, request: JSON.parse(replace(JSON.stringify(request))) };
  const bytes = Buffer.from(replace(Buffer.from(request.raw_base64, 'base64').toString('latin1')), 'latin1');
  return { ...hostile, request: { raw_base64: bytes.toString('base64') } };
}
