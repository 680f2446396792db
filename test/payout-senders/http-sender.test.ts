import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createHttpSender } from '../../src/payout-senders/http-sender.ts';
import { describePayoutSender, orderOf } from '../contracts/payout-sender.contract.ts';
import { openStandInProvider, PROVIDER_URL } from '../support/stand-in-provider.ts';

describePayoutSender('the http sender', async () => {
  const provider = openStandInProvider({
    2: { status: 'failed' },
    3: { status: 'pending', later: 'confirmed' },
    4: { sent: 'lost' },
    5: { sent: 'lost', status: 'failed' },
    6: { later: 'returned' },
    7: { sent: 'dropped' },
    8: { says: { amount: 9 } },
  });
  const sender = createHttpSender({ url: PROVIDER_URL, key: 'provider-key', fetch: provider.fetch });
  const amounts = {
    confirmed: 1,
    failed: 2,
    slow: 3,
    lost_confirmed: 4,
    lost_failed: 5,
    returned: 6,
    never_arrives: 7,
    other_amount: 8,
  };
  return { sender, amounts, now: () => 1, pass: () => provider.goOn() };
});

const answering = (answer: Partial<Extract<FetchOutcome, { kind: 'answered' }>> | 'timeout') =>
  createHttpSender({
    url: `${PROVIDER_URL}?tenant=7`,
    key: null,
    fetch: async () =>
      answer === 'timeout'
        ? { kind: 'failed', reason: 'timeout', detail: 'TIMEOUT', durationMs: 1 }
        : { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1, ...answer },
  });

test('a transfer is posted with its id as the idempotency key, and looked up below the same address', async () => {
  const provider = openStandInProvider();
  const sender = createHttpSender({ url: `${PROVIDER_URL}?tenant=7`, key: 'provider-key', fetch: provider.fetch });
  const order = orderOf(15_000);
  await sender.send(order);
  await sender.lookUp(order);
  const [posted, asked] = provider.requests;
  assert.deepEqual(
    [posted?.url, posted?.method, posted?.headers['idempotency-key'], posted?.headers['authorization']],
    [`${PROVIDER_URL}?tenant=7`, 'POST', order.id, 'Bearer provider-key'],
  );
  assert.deepEqual(JSON.parse(String(posted?.body)), {
    id: order.id,
    reference: 'factura-12',
    amount: 15_000,
    currency: 'CLP',
    recipient: { rut: '12531909-2', name: 'Ana Núñez', email: null },
    bank: '012',
    account: '12531909',
    account_type: 'sight',
    message: 'Pago',
  });
  assert.deepEqual([asked?.url, asked?.method], [`${PROVIDER_URL}/${order.id}?tenant=7`, 'GET']);
});

test('an answer outside the published schema never ends a payout', async () => {
  const order = orderOf(100);
  const same = { id: order.id, amount: 100, currency: 'CLP' };
  const cases: [Parameters<typeof answering>[0], kind: string][] = [
    ['timeout', 'unknown'],
    [{ status: 500, excerpt: JSON.stringify({ ...same, status: 'confirmed' }) }, 'unknown'],
    [{ status: 302 }, 'unknown'],
    [{ excerpt: '<html>' }, 'unknown'],
    [{ excerpt: '[]' }, 'unknown'],
    [{ excerpt: JSON.stringify({ ...same, status: 'done' }) }, 'unknown'],
    [{ status: 404, excerpt: 'Not Found' }, 'unknown'],
    [{ status: 404, excerpt: JSON.stringify({ id: 'po_other', status: 'absent' }) }, 'unknown'],
    [{ excerpt: JSON.stringify({ ...same, id: 'po_other', status: 'confirmed' }) }, 'contradiction'],
    [{ excerpt: JSON.stringify({ ...same, amount: '100', status: 'confirmed' }) }, 'contradiction'],
    [{ excerpt: JSON.stringify({ ...same, currency: 'USD', status: 'confirmed' }) }, 'contradiction'],
    [{ status: 202, excerpt: JSON.stringify({ ...same, status: 'pending' }) }, 'pending'],
  ];
  for (const [answer, kind] of cases) {
    assert.equal((await answering(answer).lookUp(order)).kind, kind, JSON.stringify(answer));
    assert.equal((await answering(answer).send(order)).kind, kind, JSON.stringify(answer));
  }
});

test('an answer with another amount names that amount for the person who checks it', async () => {
  const order = orderOf(1_500_000);
  const excerpt = JSON.stringify({ id: order.id, amount: 15_000, currency: 'CLP', status: 'confirmed' });
  assert.deepEqual(await answering({ excerpt }).lookUp(order), { kind: 'contradiction', says: 'amount 15000 CLP' });
});

test('what a provider says is kept without characters that could change what a person reads', async () => {
  const order = orderOf(100);
  const answer = (more: object) => ({
    excerpt: JSON.stringify({ id: order.id, amount: 100, currency: 'CLP', ...more }),
  });
  const failed = answer({ status: 'failed', reason: 'Cuenta\u202Eadagap\u001B[2K' });
  assert.deepEqual(await answering(failed).lookUp(order), { kind: 'failed', reason: 'Cuenta adagap [2K' });
  const other = answer({ status: 'confirmed', currency: '\u202EPLC' });
  assert.deepEqual(await answering(other).lookUp(order), { kind: 'contradiction', says: 'amount 100  PLC' });
});

test('an account or a RUT in what a provider says is not kept, however its digits are grouped', async () => {
  const order = orderOf(100);
  for (const number of ['12345678', '1234 5678', '1234-5678', '12.345.678-5', '12 345 678-K', '0 000 12']) {
    const excerpt = JSON.stringify({
      id: order.id,
      amount: 100,
      currency: 'CLP',
      status: 'failed',
      reason: `no ${number}, code 51`,
    });
    assert.deepEqual(await answering({ excerpt }).lookUp(order), { kind: 'failed', reason: 'no …, code 51' });
  }
});

test('an order that is answered with absent is unknown until a look-up says absent', async () => {
  const order = orderOf(100);
  const absent = { status: 404, excerpt: JSON.stringify({ id: order.id, status: 'absent' }) };
  assert.equal((await answering(absent).send(order)).kind, 'unknown');
  assert.equal((await answering(absent).lookUp(order)).kind, 'absent');
});
