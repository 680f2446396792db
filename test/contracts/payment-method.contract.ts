import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type {
  PaymentMethod,
  PaymentOutcome,
  PaymentRequest,
  RefundOrder,
} from '../../src/payment-methods/payment-method.ts';

type End = 'approved' | 'declined';

/** A method, and a function that creates a request that ends as named, at once or after some look-ups. */
export type MethodUnderTest = {
  method: PaymentMethod;
  request: (end: End) => PaymentRequest;
  /** Acts as the payer on the page to which the method redirects. Returns what their browser brings back. */
  pay?: (externalId: string, end: End) => Record<string, string>;
  /** The faults of a method with a commit. */
  faults?: {
    /** Makes the next commit take effect but lose its response. */
    loseCommit: () => void;
    /** Whether a look-up still shows the state before the commit. */
    keepStale: (kept: boolean) => void;
    /** Returns what the browser of a payer who turned back brings. */
    turnBack: (payment: PaymentRequest) => Record<string, string>;
  };
};

/** More look-ups than any method may need after the payer has acted. */
const MOST_LOOKUPS = 5;

/** Declares the contract of every payment method. */
export function describePaymentMethod(name: string, open: () => Promise<MethodUnderTest>): void {
  suite(`${name} keeps the contract of payment methods`, () => {
    test('it has a code that fits in a URL, and a name, a description and an image for people', async () => {
      const { method } = await open();
      assert.match(method.code, /^[a-z][a-z0-9_-]{1,30}$/);
      assert.ok(method.name.length > 0 && method.description.length > 0);
      assert.match(method.imagePath, /^\/assets\/[\w.-]+$/);
    });

    test('it accepts payments in at least one environment, also before the amount is known', async () => {
      const { method, request } = await open();
      const { environment, currency, amount } = request('approved');
      assert.equal(method.accepts({ environment, currency, amount, configured: true }), true);
      assert.equal(method.accepts({ environment, currency, amount: null, configured: true }), true);
    });

    for (const end of ['approved', 'declined'] as const) {
      test(`a payment that is ${end} is reported as ${end}, at once or by a later look-up`, async () => {
        const { outcomes } = await pay(await open(), end);
        for (const outcome of outcomes) assertWellFormed(outcome);
        assert.equal(outcomes.at(-1)?.kind, end);
      });

      test(`once ${end}, every commit gives the same answer, and so does every look-up a day later`, async () => {
        const tested = await open();
        const { payment, outcomes } = await pay(tested, end);
        const again = { ...payment, lookups: outcomes.length };
        const dayLater = { ...again, startedAt: payment.startedAt - DAY_MS };
        for (const question of ['lookup', 'finish', 'finish', 'lookup'] as const) {
          const asked = question === 'lookup' ? dayLater : again;
          assert.deepEqual(await ask(tested.method, question, asked), outcomes.at(-1), question);
        }
      });

      test(`starting twice with one attempt id makes one payment: ${end}`, async () => {
        const tested = await open();
        const payment = tested.request(end);
        const [first, second] = [
          await ask(tested.method, 'start', payment),
          await ask(tested.method, 'start', payment),
        ];
        if (first.kind === 'redirect') assert.equal(second.kind, 'redirect');
        else assert.deepEqual(second, first);
        const { outcomes } = await finish(tested, payment, second, end);
        assert.equal(outcomes.at(-1)?.kind, end);
      });
    }

    test('a look-up does not change how the payment ends', async () => {
      const tested = await open();
      const ends = [];
      for (const looks of [MOST_LOOKUPS, 0]) {
        const payment = tested.request('approved');
        const started = await ask(tested.method, 'start', payment);
        const looked = { ...payment, externalId: externalIdOf(started), lookups: 0 };
        for (let asked = 0; asked < looks; asked++) await ask(tested.method, 'lookup', looked);
        ends.push((await finish(tested, payment, started, 'approved')).outcomes.at(-1)?.kind);
      }
      assert.deepEqual(ends, ['approved', 'approved']);
    });

    test('a payment that the payer accepted but nobody committed is not approved by a look-up', async () => {
      const { method, request, pay } = await open();
      if (method.commit === undefined) return;
      const payment = request('approved');
      const externalId = externalIdOf(await ask(method, 'start', payment)) as string;
      const returned = pay?.(externalId, 'approved') ?? null;
      const outcome = await ask(method, 'lookup', { ...payment, externalId, returned });
      assert.match(outcome.kind, /^(unknown|pending)$/);
    });

    test('a payment that it declines is never approved by a look-up that comes before the start', async () => {
      const { method, request } = await open();
      for (const question of ['lookup', 'finish'] as const) {
        assertWellFormed(await ask(method, question, request('declined')));
        const outcome = await ask(method, question, { ...request('declined'), lookups: MOST_LOOKUPS });
        assert.notEqual(outcome.kind, 'approved');
      }
    });

    test('after a lost commit it never reports that no money was taken, until the method knows', async () => {
      const tested = await open();
      const { method, faults } = tested;
      if (method.commit === undefined) return;
      assert.ok(faults !== undefined, 'a method with a commit must be tested with a lost commit');
      const payment = tested.request('approved');
      const externalId = externalIdOf(await ask(method, 'start', payment)) as string;
      const returned = tested.pay?.(externalId, 'approved') ?? null;
      faults.loseCommit();
      assert.deepEqual(await ask(method, 'finish', { ...payment, externalId, returned }), unknown);
      faults.keepStale(true);
      const asked = { ...payment, externalId, commitUnanswered: true };
      const longAgo = payment.startedAt - 7 * DAY_MS;
      for (const question of ['finish', 'lookup'] as const) {
        for (const brought of [returned, null, faults.turnBack(asked)]) {
          for (const startedAt of [payment.startedAt, longAgo]) {
            const outcome = await ask(method, question, { ...asked, returned: brought, startedAt });
            assert.match(outcome.kind, /^(unknown|pending|approved)$/);
            assert.ok(outcome.kind !== 'pending' || outcome.nothingTaken !== true);
          }
        }
      }
      faults.keepStale(false);
      assert.equal((await ask(method, 'finish', { ...asked, returned: null })).kind, 'approved');
    });

    test('a refund is reported at once or by a later look-up, and from then on', async () => {
      const tested = await open();
      const { method } = tested;
      const refunds = method.refunds;
      assert.ok(refunds !== undefined);
      const { payment, outcomes } = await pay(tested, 'approved');
      const refund = refundOf(payment, outcomes.at(-1) as PaymentOutcome);
      assert.equal((await refunds.lookup(refund)).kind, 'absent');
      const answers = [await refunds.request(refund).catch(() => unknown)];
      const asked = { ...refund, askedAt: 0 };
      for (let lookups = 1; lookups <= MOST_LOOKUPS && answers.at(-1)?.kind !== 'approved'; lookups++) {
        answers.push(await refunds.lookup({ ...asked, lookups }));
      }
      assert.equal(answers.at(-1)?.kind, 'approved');
      for (const lookups of [MOST_LOOKUPS, MOST_LOOKUPS + 1]) {
        assert.equal((await refunds.lookup({ ...asked, lookups })).kind, 'approved');
      }
    });
  });
}

const unknown = { kind: 'unknown' } as const;

const DAY_MS = 24 * 60 * 60_000;

type Paid = { payment: PaymentRequest; outcomes: PaymentOutcome[] };

async function pay(tested: MethodUnderTest, end: End): Promise<Paid> {
  const payment = tested.request(end);
  return finish(tested, payment, await ask(tested.method, 'start', payment), end);
}

/** Returns the outcome of `start` and of each further call until the payment ends; the payer acts after `start`. */
async function finish(
  { method, pay }: MethodUnderTest,
  started: PaymentRequest,
  start: PaymentOutcome,
  end: End,
): Promise<Paid> {
  const externalId = externalIdOf(start);
  const returned = externalId === null ? null : (pay?.(externalId, end) ?? null);
  const payment = { ...started, externalId, returned };
  const outcomes = [start];
  for (let lookups = 0; lookups < MOST_LOOKUPS && !isEnd(outcomes.at(-1)); lookups++) {
    outcomes.push(await ask(method, 'finish', { ...payment, lookups }));
  }
  return { payment, outcomes };
}

/** Asks the method; an error counts as `unknown`. `finish` uses `commit` if the method has it. */
function ask(
  method: PaymentMethod,
  question: 'start' | 'lookup' | 'finish',
  payment: PaymentRequest,
): Promise<PaymentOutcome> {
  const answer =
    question === 'start'
      ? method.start(payment)
      : question === 'finish' && method.commit !== undefined
        ? method.commit(payment)
        : method.lookup(payment);
  return answer.catch(() => unknown);
}

function externalIdOf(outcome: PaymentOutcome): string | null {
  return outcome.kind === 'redirect' ? outcome.externalId : null;
}

function refundOf(payment: PaymentRequest, outcome: PaymentOutcome): RefundOrder {
  const { attemptId, externalId, account, transactionId, environment, environmentId, amount, currency } = payment;
  const detail = outcome.kind === 'approved' ? outcome.detail : {};
  return {
    refundId: 'rf_1',
    transactionId,
    environment,
    environmentId,
    amount,
    currency,
    paid: amount,
    refundedBefore: 0,
    payment: { attemptId, externalId, account, detail },
    lookups: 0,
    askedAt: null,
  };
}

function isEnd(outcome: PaymentOutcome | undefined): boolean {
  return outcome?.kind === 'approved' || outcome?.kind === 'declined';
}

function assertWellFormed(outcome: PaymentOutcome): void {
  switch (outcome.kind) {
    case 'approved':
    case 'declined':
    case 'aborted':
    case 'contradiction':
      for (const value of Object.values(outcome.detail)) assert.match(typeof value, /^(string|number)$/);
      assert.doesNotMatch(JSON.stringify(outcome.detail), /\d{13,19}/, 'the detail has no card number');
      break;
    case 'redirect':
      assert.match(new URL(outcome.url).protocol, /^https?:$/);
      assert.ok(outcome.externalId.length > 0);
      for (const value of Object.values(outcome.fields)) assert.equal(typeof value, 'string');
      break;
    case 'pending':
      assert.ok((outcome.againAfterMs ?? 1) > 0);
      break;
    case 'unknown':
      assert.deepEqual(Object.keys(outcome), ['kind']);
      break;
  }
}
