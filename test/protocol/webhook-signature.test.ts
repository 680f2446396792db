import assert from 'node:assert/strict';
import test from 'node:test';
import { Webhook } from 'standardwebhooks';
import { SigningKey } from '../../protocol/hmac.ts';
import { webhookMatchesAsync } from '../../protocol/web-crypto.ts';
import { signWebhook, signWebhookText, webhookKey, webhookMatches } from '../../protocol/webhook-signature.ts';

const id = 'evt_1';
const timestamp = 1767225600;
const body = 'x_amount=1000.00&x_message=Approved';
const key = webhookKey('example-secret');
const signature = signWebhook(id, timestamp, body, key);
const headers = { id, timestamp: String(timestamp), signature };

test('the key and the signature of a fixed secret never change', () => {
  assert.equal(Buffer.from(key).toString('hex'), 'bcda2fbfaf739e4034016c2569f5e83aa5b854b51787b748ecdd1ae432144317');
  assert.equal(signature, 'v1,VUI5AGH5PMwhoDxKwZ7a2RAdWDDqQGM6tUAycP1bA24=');
});

test('the reference library makes the same signature', () => {
  assert.equal(new Webhook(Buffer.from(key).toString('base64')).sign(id, new Date(timestamp * 1000), body), signature);
});

test('a text and its bytes get the same signature, for any length and characters', () => {
  const kept = new SigningKey(key);
  for (const text of [body, '', 'Ñuñoa €', '💳'.repeat(4_000), 'half \ud83d', 'x'.repeat(20_000)])
    assert.equal(signWebhookText(id, timestamp, text, kept), signWebhook(id, timestamp, Buffer.from(text), key));
});

test('a signature matches at any place in the list and with any of the keys', () => {
  const list = `v1,AAAA v1a,BBBB ${signature}`;
  assert.ok(webhookMatches(headers, Buffer.from(body), [key]));
  assert.ok(webhookMatches({ ...headers, signature: list }, Buffer.from(body), [webhookKey('other'), key]));
});

const wrong: [why: string, change: object][] = [
  ['no signature', { signature: null }],
  ['no id', { id: null }],
  ['no time', { timestamp: null }],
  ['another id', { id: 'evt_2' }],
  ['another time', { timestamp: '1767225601' }],
  ['another version', { signature: signature.replace('v1,', 'v2,') }],
  ['a signature cut short', { signature: signature.slice(0, -1) }],
  ['an empty signature', { signature: '' }],
  ['another encoding of the same signature', { signature: signature.replace('4=', '5=') }],
  ['a signature behind eight others', { signature: `${'v1,A '.repeat(8)}${signature}` }],
];
for (const [why, change] of wrong) {
  test(`headers with ${why} do not match, also with Web Crypto`, async () => {
    const received = { ...headers, ...change };
    assert.equal(webhookMatches(received, Buffer.from(body), [key]), false);
    assert.equal(await webhookMatchesAsync(received, Buffer.from(body), ['example-secret']), false);
  });
}

test('another body or another secret does not match', () => {
  assert.equal(webhookMatches(headers, Buffer.from(`${body} `), [key]), false);
  assert.equal(webhookMatches(headers, Buffer.from(body), [webhookKey('example-secret ')]), false);
});
