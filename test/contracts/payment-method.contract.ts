import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { PaymentMethod, PaymentOutcome, PaymentRequest } from '../../src/payment-methods/payment-method.ts';

/** A method, and how to make a request that it ends as the name says, at once or after some look-ups. */
export type MethodUnderTest = {
  method: PaymentMethod;
  request: (end: 'approved' | 'declined') => PaymentRequest;
};

/** More look-ups than any method may need once the payer has done their part. */
const MOST_LOOKUPS = 5;

/** What every payment method does, whoever collects the money. */
export function describePaymentMethod(name: string, open: () => Promise<MethodUnderTest>): void {
  suite(`${name} keeps the contract of payment methods`, () => {
    test('it has a code that can stand in an address, and a name, a description and a mark for people', async () => {
      const { method } = await open();
      assert.match(method.code, /^[a-z][a-z0-9_-]{1,30}$/);
      assert.ok(method.name.length > 0 && method.description.length > 0);
      assert.match(method.imagePath, /^\/assets\/[\w.-]+$/);
    });

    test('it collects for at least one environment, and says so without an amount too', async () => {
      const { method, request } = await open();
      const { environment, currency, amount } = request('approved');
      assert.equal(method.accepts({ environment, currency, amount, configured: true }), true);
      assert.equal(method.accepts({ environment, currency, amount: null, configured: true }), true);
    });

    for (const end of ['approved', 'declined'] as const) {
      test(`a payment that is ${end} is told so, at once or by a later look-up`, async () => {
        const { method, request } = await open();
        const outcomes = await outcomesOf(method, request(end));
        for (const outcome of outcomes) assertWellFormed(outcome);
        assert.equal(outcomes.at(-1)?.kind, end);
      });

      test(`once ${end}, every look-up says the same`, async () => {
        const { method, request } = await open();
        const payment = request(end);
        const outcomes = await outcomesOf(method, payment);
        const again = { ...payment, lookups: outcomes.length };
        assert.deepEqual(await ask(method, 'lookup', again), outcomes.at(-1));
        assert.deepEqual(await ask(method, 'lookup', again), outcomes.at(-1));
      });

      test(`starting twice with one attempt id is one payment: ${end}`, async () => {
        const { method, request } = await open();
        const payment = request(end);
        const [first, second] = [await ask(method, 'start', payment), await ask(method, 'start', payment)];
        assert.deepEqual(second, first);
        const outcomes = await outcomesOf(method, payment);
        assert.equal(outcomes.at(-1)?.kind, end);
      });
    }

    test('a look-up changes nothing: whether it was asked before makes no difference', async () => {
      const { method, request } = await open();
      const [watched, left] = [request('approved'), request('approved')];
      await ask(method, 'start', watched);
      await ask(method, 'start', left);
      for (let asked = 0; asked < MOST_LOOKUPS; asked++) await ask(method, 'lookup', { ...watched, lookups: 0 });
      const last = { lookups: MOST_LOOKUPS };
      const kinds = [
        await ask(method, 'lookup', { ...watched, ...last }),
        await ask(method, 'lookup', { ...left, ...last }),
      ];
      assert.deepEqual(
        kinds.map(({ kind }) => kind),
        ['approved', 'approved'],
      );
    });

    test('a payment that it declines is not approved by a look-up because it never heard of the start', async () => {
      const { method, request } = await open();
      assertWellFormed(await ask(method, 'lookup', request('declined')));
      const outcome = await ask(method, 'lookup', { ...request('declined'), lookups: MOST_LOOKUPS });
      assert.notEqual(outcome.kind, 'approved');
    });
  });
}

/** What `start` says and, until there is an end, what the look-ups say after it. */
async function outcomesOf(method: PaymentMethod, payment: PaymentRequest): Promise<PaymentOutcome[]> {
  const outcomes = [await ask(method, 'start', payment)];
  for (let lookups = 0; lookups < MOST_LOOKUPS && !isEnd(outcomes.at(-1)); lookups++) {
    outcomes.push(await ask(method, 'lookup', { ...payment, lookups }));
  }
  return outcomes;
}

/** Throwing is allowed, and means the same as `unknown`. */
function ask(method: PaymentMethod, question: 'start' | 'lookup', payment: PaymentRequest): Promise<PaymentOutcome> {
  return method[question](payment).catch(() => ({ kind: 'unknown' as const }));
}

function isEnd(outcome: PaymentOutcome | undefined): boolean {
  return outcome?.kind === 'approved' || outcome?.kind === 'declined';
}

function assertWellFormed(outcome: PaymentOutcome): void {
  switch (outcome.kind) {
    case 'approved':
    case 'declined':
      for (const value of Object.values(outcome.detail)) assert.match(typeof value, /^(string|number)$/);
      assert.doesNotMatch(JSON.stringify(outcome.detail), /\d{13,19}/, 'this looks like a card number');
      break;
    case 'redirect':
      assert.match(new URL(outcome.url).protocol, /^https?:$/);
      assert.ok(outcome.externalId.length > 0);
      for (const value of Object.values(outcome.fields)) assert.equal(typeof value, 'string');
      break;
    case 'pending':
    case 'unknown':
      assert.deepEqual(Object.keys(outcome), ['kind']);
      break;
  }
}
