import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Options, WebpayPlus } from 'transbank-sdk';
import { createSafeFetch } from '../../src/lib/safe-fetch.ts';
import { createWebpayClient, type WebpayAnswer } from '../../src/payment-methods/webpay-client.ts';
import { TEST_ACCOUNT } from '../support/webpay-case.ts';
import { type PayerChoice, startWebpayStandIn } from '../support/webpay-stand-in.ts';

const { account: commerceCode, key: apiKey } = TEST_ACCOUNT;
const ORDER = { buyOrder: 'pa_1', sessionId: '1001', amount: 12_990, returnUrl: 'https://pay.example.cl/return' };

type Answer = WebpayAnswer | { kind: 'answered'; body: unknown };

/** Two payments of the same kind, one asked for by the published client and one by ours. */
for (const choice of [null, 'pay', 'decline', 'abort', 'time_out', 'form_error'] as (PayerChoice | null)[]) {
  test(`the published client and ours agree on every call about a payer who chose ${choice ?? 'nothing yet'}`, async (context) => {
    await using standIn = await startWebpayStandIn();
    const outbound = createSafeFetch();
    context.after(() => outbound.close());
    const ours = createWebpayClient(outbound.fetch, standIn.url, { commerceCode, apiKey });
    const theirs = new WebpayPlus.Transaction(new Options(commerceCode, apiKey, standIn.url, 10_000));
    const { buyOrder, sessionId, amount, returnUrl } = ORDER;

    const [made, published] = [
      await ours.create(ORDER),
      await sdk(theirs.create(buyOrder, sessionId, amount, returnUrl)),
    ];
    assert.ok(made.kind === 'answered' && published.kind === 'answered');
    const tokens = [made.body, published.body].map((body) => (body as { token: string }).token) as [string, string];
    assert.deepEqual({ ...made.body, token: '' }, { ...(published.body as object), token: '' });
    if (choice !== null) for (const token of tokens) standIn.choose(token, choice);

    const [a, b] = tokens;
    const steps: [name: string, ours: () => Promise<Answer>, theirs: () => Promise<Answer>][] = [
      ['status', () => ours.status(a), () => sdk(theirs.status(b))],
      ['commit', () => ours.commit(a), () => sdk(theirs.commit(b))],
      ['commit again', () => ours.commit(a), () => sdk(theirs.commit(b))],
      ['status after it', () => ours.status(a), () => sdk(theirs.status(b))],
      ['refund of a part', () => ours.refund(a, 1000), () => sdk(theirs.refund(b, 1000))],
      ['refund of too much', () => ours.refund(a, 20_000), () => sdk(theirs.refund(b, 20_000))],
      ['status at the end', () => ours.status(a), () => sdk(theirs.status(b))],
    ];
    for (const [name, ask, askPublished] of steps) {
      const [answer, expected] = [await ask(), await askPublished()];
      assert.equal(answer.kind, expected.kind, name);
      if (answer.kind === 'answered' && expected.kind === 'answered')
        assert.deepEqual(answer.body, expected.body, name);
    }
    const sent = standIn.calls;
    for (let at = 0; at < sent.length; at += 2) assert.equal(sent[at], sent[at + 1]);
  });
}

test('a token that nobody made is refused to both', async (context) => {
  await using standIn = await startWebpayStandIn();
  const outbound = createSafeFetch();
  context.after(() => outbound.close());
  const ours = createWebpayClient(outbound.fetch, standIn.url, { commerceCode, apiKey });
  const theirs = new WebpayPlus.Transaction(new Options(commerceCode, apiKey, standIn.url, 10_000));
  const token = 'a'.repeat(64);
  assert.equal((await ours.commit(token)).kind, 'refused');
  assert.equal((await sdk(theirs.commit(token))).kind, 'refused');
});

/** The published client throws what is refused. */
async function sdk(answer: Promise<unknown>): Promise<Answer> {
  try {
    return { kind: 'answered', body: await answer };
  } catch (error) {
    assert.match((error as Error).message, /422|parameter|state|status|refund|found/i);
    return { kind: 'refused', reason: 'other' };
  }
}
