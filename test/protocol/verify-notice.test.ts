import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  type Notice,
  type VerifyNoticeOptions,
  verifyNotice,
  verifyNoticeAsync,
} from '../../protocol/verify-notice.ts';
import { webhookMatchesAsync } from '../../protocol/web-crypto.ts';
import { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';
import { WEBHOOKS } from '../../src/outbox/webhooks/webhook-subscription.ts';

type Vector = { secret: string; id: string; timestamp: number; body: string; signature: string };

const vector: Vector = JSON.parse(readFileSync(new URL('../vectors/notice-vector.json', import.meta.url), 'utf8'));
const { secret, id, timestamp, body, signature } = vector;
const now = timestamp * 1000;

function headersOf(signed: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(id, timestamp, signed, webhookKey(secret)),
  };
}

test('a genuine notice gives its JSON, and the reference library makes the same signature', async () => {
  const headers = { ...headersOf(body), 'webhook-signature': signature };
  const verified = { ok: true, data: JSON.parse(body) };
  assert.deepEqual(verifyNotice({ body, headers, secret, now }), verified);
  assert.deepEqual(await verifyNoticeAsync({ body, headers, secret: ['other', secret], now }), verified);
  const theirs = new Webhook(Buffer.from(webhookKey(secret)).toString('base64'));
  assert.equal(theirs.sign(id, new Date(now), body), signature);
  const received = { id, timestamp: String(timestamp), signature };
  assert.ok(await webhookMatchesAsync(received, Buffer.from(body), [secret]), 'Web Crypto gives the same result');
});

test('each event of a webhook is a notice, and the guide names each webhook in both languages', () => {
  const types: readonly NonNullable<Notice['type']>[] = Object.values(WEBHOOKS).flat();
  assert.ok(types.includes('refund.completed'));
  for (const page of ['docs/quickstart-callbacks.md', 'docs/es/quickstart-callbacks.md']) {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
    const unnamed = Object.keys(WEBHOOKS).filter((name) => !text.includes(`\`${name}\``));
    assert.deepEqual(unnamed, [], `${page} names each webhook of WEBHOOKS`);
  }
});

test('the type of a notice tells its members in TypeScript', () => {
  const result = verifyNotice({ body, headers: headersOf(body), secret, now });
  assert.ok(result.ok && result.data.type === 'refund.completed');
  assert.equal(result.data.data.transaction.reference, 'ORD-ñ 1');
});

const refused: [why: string, options: Partial<VerifyNoticeOptions>, code: string][] = [
  ['no headers', { headers: {} }, 'WEBHOOK_HEADERS_MISSING'],
  ['another body', { body: body.replace('completed', 'failed') }, 'WEBHOOK_SIGNATURE_INVALID'],
  ['another secret', { secret: 'other' }, 'WEBHOOK_SIGNATURE_INVALID'],
  ['an old time', { now: now + 301_000 }, 'WEBHOOK_TIME_REFUSED'],
  ['the body of a callback', { body: 'x_amount=1', headers: headersOf('x_amount=1') }, 'NOT_AN_OBJECT'],
  ['JSON that is not an object', { body: '[]', headers: headersOf('[]') }, 'NOT_AN_OBJECT'],
];
for (const [why, options, code] of refused) {
  test(`a notice with ${why} is refused`, () => {
    const result = verifyNotice({ body, headers: headersOf(body), secret, now, ...options });
    assert.equal(result.ok ? 'accepted' : result.code, code);
  });
}

test('a parsed body or an empty list of secrets throws', () => {
  assert.throws(() => verifyNotice({ body: {} as string, headers: headersOf(body), secret, now }), /raw body/);
  assert.throws(
    () => verifyNotice({ body, headers: headersOf(body), secret: [], now }),
    /list of secrets is empty\. Give it/,
  );
});
