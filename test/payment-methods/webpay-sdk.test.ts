import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Options, WebpayPlus } from 'transbank-sdk';
import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
import { createWebpayClient, type WebpayAnswer, type WebpayClient } from '../../src/payment-methods/webpay-client.ts';
import { TEST_ACCOUNT } from '../support/webpay-case.ts';
import { type PayerChoice, startWebpayStandIn, type WebpayStandIn } from '../support/webpay-stand-in.ts';

const { account: commerceCode, key: apiKey } = TEST_ACCOUNT;
const ORDER = { buyOrder: 'pa_1', sessionId: '1001', amount: 12_990, returnUrl: 'https://pay.example.cl/return' };

type Answer = WebpayAnswer | { kind: 'answered'; body: unknown };

/** Two equal payments, one requested by the published client and one by the product's. */
for (const choice of [null, 'pay', 'decline', 'abort', 'time_out', 'form_error'] as (PayerChoice | null)[]) {
  test(`the published client and ours agree on every call for a payer who chose ${choice ?? 'nothing yet'}`, async (context) => {
    await using standIn = await startWebpayStandIn();
    const { ours, theirs } = clientsOf(context, standIn);
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

for (const day of ['the same day', 'the next day'] as const) {
  test(`the published client and ours agree on a refund in full on ${day}, and on a second one`, async (context) => {
    await using standIn = await startWebpayStandIn();
    const { ours, theirs } = clientsOf(context, standIn);
    const [a, b] = [await paidToken(standIn, ours), await paidToken(standIn, ours)];
    if (day === 'the next day') standIn.nextDay();
    for (const amount of [ORDER.amount, ORDER.amount]) {
      assert.deepEqual(withoutReason(await ours.refund(a, amount)), withoutReason(await sdk(theirs.refund(b, amount))));
    }
    assert.deepEqual(await ours.status(a), await sdk(theirs.status(b)));
    assert.equal(standIn.charged(), 0);
  });
}

test('the published client and ours agree on a refused order, token and key', async (context) => {
  await using standIn = await startWebpayStandIn();
  const { ours, theirs } = clientsOf(context, standIn);
  const refused = { kind: 'refused' };
  assert.deepEqual(withoutReason(await ours.create({ ...ORDER, amount: 0 })), refused);
  assert.deepEqual(withoutReason(await sdk(theirs.create('pa_1', '1001', 0, ORDER.returnUrl))), refused);
  for (const verb of ['commit', 'status'] as const) {
    assert.deepEqual(withoutReason(await ours[verb]('a'.repeat(64))), refused);
    assert.deepEqual(withoutReason(await sdk(theirs[verb]('a'.repeat(64)))), refused);
  }
  const stranger = clientsOf(context, standIn, 'x'.repeat(64));
  await assert.rejects(stranger.ours.create(ORDER), /status 401/);
  await assert.rejects(stranger.theirs.create('pa_1', '1001', 1000, ORDER.returnUrl), /401|Not Authorized/);
  const sent = standIn.calls;
  for (let at = 0; at < sent.length; at += 2) assert.equal(sent[at], sent[at + 1]);
});

/** Returns the answer of the published client, which throws refusals. */
async function sdk(answer: Promise<unknown>): Promise<Answer> {
  try {
    return { kind: 'answered', body: await answer };
  } catch (error) {
    assert.match((error as Error).message, /422|parameter|state|status|refund|found/i);
    return { kind: 'refused', reason: 'other' };
  }
}

function clientsOf(context: TestContext, { url }: WebpayStandIn, key = apiKey) {
  const outbound = createSafeFetch();
  context.after(() => outbound.close());
  return {
    ours: createWebpayClient(outbound.fetch, url, { commerceCode, apiKey: key }),
    theirs: new WebpayPlus.Transaction(new Options(commerceCode, key, url, 10_000)),
  };
}

async function paidToken(standIn: WebpayStandIn, client: WebpayClient): Promise<string> {
  const made = await client.create(ORDER);
  assert.ok(made.kind === 'answered');
  const token = made.body['token'] as string;
  standIn.choose(token, 'pay');
  await client.commit(token);
  return token;
}

/** Removes the kind of a refusal, because the published client has none. */
function withoutReason(answer: Answer): object {
  return answer.kind === 'refused' ? { kind: 'refused' } : answer;
}
