import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Expectation, type HostileCase, readCorpus } from './hostile-case.ts';
import { replayCase } from './replay-case.ts';
import { type ProductTarget, startProduct } from './target.ts';

const { vectors, cases } = readCorpus();

/** What requests of the corpus hold of people; none of it belongs into a log. */
const PERSONAL = ['buyer@example', '12345678-5', '12.345.678-5', '"12345678"'];

describe('hostile requests get their class of answer, exactly one, and leave nothing behind', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct();
  });
  after(() => target.close());

  for (const hostile of cases) {
    // A scenario has a test of its own.
    if (hostile.expect.class === 'scenario') continue;
    test(`${hostile.id} ${hostile.endpoint}: ${hostile.title}`, async () => {
      // Short only where the request is slow, lest a slow machine looks like a slow client.
      target.server.headersTimeout = hostile.request !== undefined && 'slow' in hostile.request ? 500 : 10_000;
      const played = withToken({ ...hostile, expect: DECIDED[hostile.id] ?? hostile.expect }, target.accessToken);
      assert.deepEqual(await replayCase(target, played, [vectors.secret, target.accessToken, ...PERSONAL]), []);
    });
  }
});

/** Where the corpus leaves the choice to the service, and this one chose otherwise. */
const DECIDED: Record<string, Expectation> = {
  // A published shop plugin sends `es`; it decides nothing.
  T165: { class: 'accept', status: [200], code: null },
  // Spaces around a RUT come from copying it, and change nothing about whose it is.
  B077: { class: 'accept', status: [200], code: null },
  // An empty text has the same code everywhere.
  B096: { class: 'reject', status: [422], code: 'EMPTY_FIELD' },
};

/** Puts an access token of the product where the corpus has an invented one, whole or with its last character cut off. */
function withToken(hostile: HostileCase, accessToken: string): HostileCase {
  // Bearer tokens are taken without their scheme too, because published clients send them so; this one must be no token.
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
