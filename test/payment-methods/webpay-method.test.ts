import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { PaymentOutcome, PaymentRequest, RefundOrder, Refunds } from '../../src/payment-methods/payment-method.ts';
import { createWebpayClient } from '../../src/payment-methods/webpay-client.ts';
import { createWebpayMethod } from '../../src/payment-methods/webpay-method.ts';
import { outcomeOfRefused, paymentOutcomeOf } from '../../src/payment-methods/webpay-outcome.ts';
import { describePaymentMethod } from '../contracts/payment-method.contract.ts';
import { describeRefundBalance, describeRefunds } from '../contracts/refunds.contract.ts';
import { createTestClock } from '../support/test-app.ts';
import { broughtBy, type Ending, openWebpay, TEST_ACCOUNT, type WebpayCase } from '../support/webpay-case.ts';
import type { PayerChoice, WebpayFault } from '../support/webpay-stand-in.ts';

let attempts = 0;

function requestOf({ now }: Pick<WebpayCase, 'now'>, changes: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    attemptId: `pa_test${++attempts}`,
    externalId: null,
    transactionId: 1001,
    environment: 'development',
    environmentId: 1,
    account: TEST_ACCOUNT.account,
    amount: 12_990,
    currency: 'CLP',
    returnUrl: 'https://pay.example.cl/pay/rt-secret/return',
    returned: null,
    commitUnanswered: false,
    lookups: 0,
    startedAt: now(),
    ...changes,
  };
}

for (const statusBeforeCommit of ['INITIALIZED', 'AUTHORIZED'] as const) {
  describePaymentMethod(`Webpay, with ${statusBeforeCommit} before the commit,`, async () => {
    const webpay = await openWebpay({ after }, { statusBeforeCommit });
    return {
      method: webpay.method,
      request: () => requestOf(webpay),
      pay: (token, end) => broughtBy(webpay.standIn.choose(token, end === 'approved' ? 'pay' : 'decline')),
      faults: {
        loseCommit: () => webpay.standIn.fail('commit', 'drop_answer'),
        keepStale: (kept) => webpay.standIn.keepStale(kept),
        turnBack: ({ attemptId }) => ({ given_up: attemptId }),
      },
    };
  });
}

/** Starts a payment whose payer is on the form. */
async function openForm(webpay: WebpayCase): Promise<PaymentRequest & { externalId: string }> {
  const payment = requestOf(webpay);
  const start = await webpay.method.start(payment);
  assert.ok(start.kind === 'redirect');
  return { ...payment, externalId: start.externalId };
}

async function commit({ method }: WebpayCase, payment: PaymentRequest): Promise<PaymentOutcome> {
  assert.ok(method.commit !== undefined);
  return method.commit(payment).catch(() => ({ kind: 'unknown' }));
}

describe('a payment by Webpay', () => {
  test('sends the payer to the form with the token, with the attempt’s own order number', async (context) => {
    const webpay = await openWebpay(context);
    const payment = requestOf(webpay);
    const start = await webpay.method.start(payment);
    assert.ok(start.kind === 'redirect');
    assert.deepEqual(start.fields, { token_ws: start.externalId });
    assert.equal(start.url, `${webpay.standIn.url}/webpayserver/initTransaction`);
    const brought = broughtBy(webpay.standIn.choose(start.externalId, 'abort'));
    assert.equal(brought['TBK_ORDEN_COMPRA'], payment.attemptId);
  });

  const ways: [choice: PayerChoice, end: string, reason?: string][] = [
    ['pay', 'approved'],
    ['decline', 'declined'],
    ['abort', 'aborted', 'turned_back'],
    ['time_out', 'aborted', 'turned_back'],
    ['form_error', 'aborted', 'turned_back'],
  ];
  for (const [choice, end, reason] of ways) {
    test(`ends as ${end} when the payer returns by "${choice}", however often`, async (context) => {
      const webpay = await openWebpay(context);
      const payment = await openForm(webpay);
      const returned = broughtBy(webpay.standIn.choose(payment.externalId, choice));
      for (let time = 0; time < 3; time++) {
        const outcome = await commit(webpay, { ...payment, returned });
        assert.equal(outcome.kind, end);
        if (reason !== undefined) assert.deepEqual(outcome, { kind: 'aborted', detail: { reason } });
      }
      assert.equal(webpay.standIn.charged(), end === 'approved' ? payment.amount : 0);
    });
  }

  test('stores what finance needs, and no more of the card number than its end', () => {
    const body = {
      vci: 'TSY',
      amount: 100,
      status: 'AUTHORIZED',
      buy_order: 'pa_1',
      session_id: '1001',
      card_detail: { card_number: '4051885600446623' },
      accounting_date: '0522',
      transaction_date: '2019-05-22T16:41:21.063Z',
      authorization_code: '1213',
      payment_type_code: 'VN',
      response_code: 0,
      installments_number: 0,
    };
    assert.deepEqual(paymentOutcomeOf(body, { attemptId: 'pa_1', amount: 100 }), {
      kind: 'approved',
      detail: {
        authorization_code: '1213',
        response_code: 0,
        payment_type_code: 'VN',
        installments_number: 0,
        accounting_date: '0522',
        transaction_date: '2019-05-22T16:41:21.063Z',
        buy_order: 'pa_1',
        status: 'AUTHORIZED',
        vci: 'TSY',
        card_last_digits: '6623',
      },
    });
  });

  const answers: [body: Record<string, unknown>, end: string][] = [
    [{ status: 'AUTHORIZED', response_code: 0 }, 'approved'],
    [{ status: 'CAPTURED', response_code: 0 }, 'approved'],
    [{ status: 'AUTHORIZED', response_code: -1 }, 'declined'],
    [{ status: 'FAILED', response_code: -1 }, 'declined'],
    // Real answers for a payer who turned back at the bank look like this.
    [{ status: 'FAILED', response_code: 0, vci: 'ABO' }, 'declined'],
    [{ status: 'INITIALIZED', response_code: 0, vci: 'ABO' }, 'pending'],
    [{ status: 'REVERSED', response_code: 0 }, 'aborted'],
    [{ status: 'NULLIFIED', response_code: 0 }, 'contradiction'],
    [{ status: 'PARTIALLY_NULLIFIED', response_code: 0 }, 'contradiction'],
    [{ status: 'AUTHORIZED', response_code: 0, buy_order: 'pa_2' }, 'contradiction'],
    [{ status: 'AUTHORIZED', response_code: 0, amount: 99 }, 'contradiction'],
    [{ status: 'FAILED', response_code: -1, amount: '100' }, 'contradiction'],
  ];
  for (const [body, end] of answers) {
    test(`gives ${end} for ${JSON.stringify(body)}`, () => {
      const outcome = paymentOutcomeOf({ buy_order: 'pa_1', amount: 100, ...body }, { attemptId: 'pa_1', amount: 100 });
      assert.equal(outcome.kind, end);
    });
  }

  const elsewhere: [body: Record<string, unknown>, given: number | undefined][] = [
    [{ status: 'NULLIFIED' }, 100],
    [{ status: 'PARTIALLY_NULLIFIED', balance: 60 }, 40],
    [{ status: 'PARTIALLY_NULLIFIED' }, undefined],
  ];
  for (const [body, given] of elsewhere) {
    test(`gives ${given ?? 'an unknown amount'} as refunded elsewhere for ${JSON.stringify(body)}`, () => {
      const outcome = paymentOutcomeOf({ buy_order: 'pa_1', amount: 100, ...body }, { attemptId: 'pa_1', amount: 100 });
      assert.ok(outcome.kind === 'contradiction');
      assert.equal(outcome.detail['given_back'], given);
    });
  }

  type Refusal = Parameters<typeof outcomeOfRefused>[0];
  const finished = (state: string): Refusal => ({ kind: 'refused', reason: 'finished', state });
  const refusals: [
    refusal: Refusal,
    status: 'pending' | 'approved' | 'declined',
    unanswered: boolean,
    left: boolean,
    end: string,
  ][] = [
    [finished('AUTHORIZED'), 'pending', true, true, 'unknown'],
    [finished('AUTHORIZED'), 'pending', false, true, 'unknown'],
    [finished('CAPTURED'), 'pending', true, false, 'unknown'],
    [finished('NULLIFIED'), 'pending', false, true, 'unknown'],
    [finished('PARTIALLY_NULLIFIED'), 'pending', false, true, 'unknown'],
    [finished('AUTHORIZED'), 'approved', true, false, 'approved'],
    [finished('FAILED'), 'pending', true, false, 'declined'],
    [finished('FAILED'), 'approved', true, false, 'contradiction'],
    [finished('ABORTED'), 'pending', true, false, 'aborted'],
    [finished('ABORTED'), 'approved', false, true, 'contradiction'],
    [finished('REVERSED'), 'pending', true, false, 'aborted'],
    [finished('SOMETHING_NEW'), 'pending', true, true, 'unknown'],
    [finished('SOMETHING_NEW'), 'pending', false, true, 'aborted'],
    [finished(''), 'pending', true, true, 'unknown'],
    [{ kind: 'refused', reason: 'busy' }, 'pending', false, true, 'unknown'],
    [{ kind: 'refused', reason: 'busy' }, 'approved', true, false, 'unknown'],
    [{ kind: 'refused', reason: 'busy' }, 'declined', true, false, 'declined'],
    [{ kind: 'refused', reason: 'not_ready' }, 'pending', false, false, 'pending, nothing taken'],
    [{ kind: 'refused', reason: 'not_ready' }, 'pending', true, true, 'pending, nothing taken'],
    [{ kind: 'refused', reason: 'not_ready' }, 'pending', false, true, 'aborted'],
    // The bank has authorised the payment and nobody has committed it, so Transbank will reverse it.
    [{ kind: 'refused', reason: 'not_ready' }, 'approved', false, true, 'pending'],
    [{ kind: 'refused', reason: 'other' }, 'pending', true, true, 'unknown'],
    [{ kind: 'refused', reason: 'other' }, 'pending', false, false, 'pending, nothing taken'],
    [{ kind: 'refused', reason: 'other' }, 'pending', false, true, 'aborted'],
    [{ kind: 'refused', reason: 'other' }, 'approved', true, true, 'unknown'],
  ];
  for (const [refusal, kind, commitUnanswered, left, end] of refusals) {
    const known = `${commitUnanswered ? 'after an unanswered one' : 'as the first'}${left ? ', after the payer left' : ''}`;
    test(`a commit refused as ${Object.values(refusal).slice(1).join(' ')}, ${known}, with status ${kind}: ${end}`, () => {
      const status = kind === 'pending' ? { kind } : { kind, detail: {} };
      const facts = { status, commitUnanswered, left: left ? ('turned_back' as const) : null, isReversed: false };
      const outcome = outcomeOfRefused(refusal, facts);
      const said =
        outcome.kind === 'pending' && outcome.nothingTaken === true ? 'pending, nothing taken' : outcome.kind;
      assert.equal(said, end);
    });
  }

  const texts: [text: string, refusal: object][] = [
    ['Transaction has an invalid finished state: AUTHORIZED', { reason: 'finished', state: 'AUTHORIZED' }],
    ['Transaction has an invalid finished state: aborted', { reason: 'finished', state: 'ABORTED' }],
    ['Transaction has an invalid finished state', { reason: 'finished', state: '' }],
    ['Transaction already locked by another process', { reason: 'busy' }],
    [
      "Invalid status '19' for transaction while authorizing. Commerce will be notified by webpay to authorize",
      { reason: 'not_ready' },
    ],
    ['Invalid value for parameter: token', { reason: 'other', text: 'Invalid value for parameter: token' }],
    ['', { reason: 'other', text: '' }],
  ];
  for (const [text, refusal] of texts) {
    test(`reads the refusal "${text}"`, async () => {
      const excerpt = JSON.stringify({ error_message: text });
      const answered = { kind: 'answered' as const, status: 422, retryAfter: null, excerpt, durationMs: 1 };
      const client = createWebpayClient(async () => answered, 'https://webpay.example', {
        commerceCode: '1',
        apiKey: '2',
      });
      assert.deepEqual(await client.commit('token'), { kind: 'refused', ...refusal });
    });
  }

  for (const odd of [{ status: 'NEW', response_code: 0 }, { status: 'AUTHORIZED' }, { response_code: 0 }]) {
    test(`decides nothing for the undocumented answer ${JSON.stringify(odd)}`, () => {
      const body = { buy_order: 'pa_1', amount: 100, ...odd };
      assert.throws(() => paymentOutcomeOf(body, { attemptId: 'pa_1', amount: 100 }), /documentation|code/);
    });
  }

  const lost: [fault: WebpayFault, charged: boolean][] = [
    ['drop_answer', true],
    ['late', true],
    ['error_500', true],
    ['malformed', true],
    ['drop_request', false],
  ];
  for (const [fault, charged] of lost) {
    test(`is unknown after a commit that ends in ${fault}, and approved and charged once by the next commit`, async (context) => {
      const webpay = await openWebpay(context);
      const payment = await openForm(webpay);
      const returned = broughtBy(webpay.standIn.choose(payment.externalId, 'pay'));
      webpay.standIn.fail('commit', fault);
      assert.deepEqual(await commit(webpay, { ...payment, returned }), { kind: 'unknown' });
      assert.equal(webpay.standIn.charged(), charged ? payment.amount : 0);
      webpay.standIn.release();
      assert.equal((await commit(webpay, { ...payment, commitUnanswered: true })).kind, 'approved');
      assert.equal(webpay.standIn.charged(), payment.amount);
    });
  }

  test('is a contradiction when the answer is about another order or another amount', async (context) => {
    for (const fault of ['other_order', 'other_amount'] as const) {
      const webpay = await openWebpay(context);
      const payment = await openForm(webpay);
      const returned = broughtBy(webpay.standIn.choose(payment.externalId, 'pay'));
      webpay.standIn.fail('commit', fault);
      const outcome = await commit(webpay, { ...payment, returned });
      assert.ok(outcome.kind === 'contradiction');
      assert.equal(outcome.detail['reason'], 'other_payment');
    }
  });

  test('is committed after a minute when the payer closed the tab after paying', async (context) => {
    for (const statusBeforeCommit of ['INITIALIZED', 'AUTHORIZED'] as const) {
      const webpay = await openWebpay(context, { statusBeforeCommit });
      const payment = await openForm(webpay);
      assert.deepEqual(await commit(webpay, payment), { kind: 'pending', againAfterMs: 60_000, nothingTaken: true });
      assert.deepEqual(
        webpay.standIn.calls,
        ['create 200', 'status 200'],
        'no commit is sent while the payer is on the form',
      );
      webpay.standIn.choose(payment.externalId, 'pay');
      webpay.now.advance(60_000);
      assert.equal((await commit(webpay, payment)).kind, 'approved');
      assert.equal(webpay.standIn.charged(), payment.amount);
    }
  });

  test('stays pending after the payer closed the tab, until the form has expired', async (context) => {
    const webpay = await openWebpay(context);
    const payment = await openForm(webpay);
    for (let minute = 1; minute <= 20; minute++) {
      webpay.now.advance(60_000);
      assert.equal((await commit(webpay, payment)).kind, 'pending');
    }
    webpay.now.advance(1);
    assert.deepEqual(await commit(webpay, payment), { kind: 'aborted', detail: { reason: 'not_finished' } });
  });

  test('is aborted when the bank reversed it because nobody committed', async (context) => {
    const webpay = await openWebpay(context);
    const payment = await openForm(webpay);
    webpay.standIn.choose(payment.externalId, 'pay');
    webpay.standIn.reverseUncommitted();
    webpay.now.advance(60_000);
    assert.equal((await commit(webpay, payment)).kind, 'aborted');
    assert.equal(webpay.standIn.charged(), 0);
  });

  test('is not committed by a look-up', async (context) => {
    const webpay = await openWebpay(context);
    const payment = await openForm(webpay);
    webpay.standIn.choose(payment.externalId, 'pay');
    webpay.now.advance(20 * 60_000);
    assert.equal((await webpay.method.lookup(payment)).kind, 'pending');
    webpay.now.advance(1);
    assert.equal((await webpay.method.lookup({ ...payment, commitUnanswered: true })).kind, 'pending');
    assert.equal((await webpay.method.lookup(payment)).kind, 'aborted');
    assert.equal(webpay.standIn.charged(), 0);
  });

  test('keeps an authorised payment unknown after an unreadable refusal, until the bank must have reversed it', async (context) => {
    const webpay = await openWebpay(context, { statusBeforeCommit: 'AUTHORIZED' });
    const payment = await openForm(webpay);
    const returned = broughtBy(webpay.standIn.choose(payment.externalId, 'pay'));
    webpay.standIn.fail('commit', 'odd_refusal');
    assert.equal((await commit(webpay, { ...payment, returned })).kind, 'unknown');
    assert.equal((await commit(webpay, { ...payment, returned })).kind, 'approved');
    webpay.now.advance(60 * 60_000);
    webpay.standIn.fail('commit', 'odd_refusal');
    assert.equal((await commit(webpay, { ...payment, returned })).kind, 'approved');
    assert.equal((await webpay.method.lookup(payment)).kind, 'approved');
  });

  test('ignores parameters that the browser brought from another payment', async (context) => {
    const webpay = await openWebpay(context);
    const [payment, other] = [await openForm(webpay), await openForm(webpay)];
    for (const choice of ['pay', 'abort', 'time_out', 'form_error'] as const) {
      const { externalId } = await openForm(webpay);
      const returned = broughtBy(webpay.standIn.choose(externalId, choice));
      assert.equal((await commit(webpay, { ...payment, returned })).kind, 'pending');
    }
    assert.equal(webpay.standIn.charged(), 0);
    assert.equal((await webpay.method.lookup(other)).kind, 'pending');
  });

  test('is aborted when its token never arrived, because nobody saw its form', async (context) => {
    const webpay = await openWebpay(context);
    for (const fault of ['drop_answer', 'drop_request', 'error_500', 'malformed', 'late'] as const) {
      webpay.standIn.fail('create', fault);
      const payment = requestOf(webpay);
      await assert.rejects(webpay.method.start(payment));
      assert.deepEqual(await commit(webpay, payment), { kind: 'aborted', detail: { reason: 'never_shown' } });
    }
  });

  test('stays undecided with a wrong key, and the error quotes nothing that was sent', async (context) => {
    const webpay = await openWebpay(context, { keys: { [TEST_ACCOUNT.account]: 'x'.repeat(64) } });
    await assert.rejects(webpay.method.start(requestOf(webpay)), (error: Error) => {
      assert.equal(error.message, 'Webpay create: status 401');
      return true;
    });
  });

  const pages: [url: string, isTransbank: boolean][] = [
    ['https://webpay3g.transbank.cl/webpayserver/initTransaction', true],
    ['https://webpay3gint.transbank.cl/webpayserver/initTransaction', true],
    ['http://webpay3g.transbank.cl/webpayserver/initTransaction', false],
    ['https://webpay3g.transbank.cl.example.com/', false],
    ['https://eviltransbank.cl/', false],
    ['https://transbank.cl@example.com/', false],
    ['https://example.com/?.transbank.cl', false],
    ['https://example.com#.transbank.cl', false],
    ['javascript:alert(1)//.transbank.cl', false],
    ['/webpayserver/initTransaction', false],
  ];
  for (const [url, isTransbank] of pages) {
    test(`${isTransbank ? 'sends the payer' : 'sends no payer'} to ${url}`, async () => {
      const excerpt = JSON.stringify({ token: 'a'.repeat(64), url });
      const method = createWebpayMethod({
        fetch: async () => ({ kind: 'answered', status: 200, retryAfter: null, excerpt, durationMs: 1 }),
        now: () => 0,
        baseUrl: null,
        keyOf: async () => TEST_ACCOUNT.key,
      });
      const payment = requestOf({ now: createTestClock() });
      if (isTransbank) assert.equal((await method.start(payment)).kind, 'redirect');
      else await assert.rejects(method.start(payment), /without its token or its page/);
    });
  }

  test('reports the text of a refusal that it does not understand once for an attempt, without numbers', async () => {
    const token = 'a1'.repeat(32);
    const reported: string[][] = [];
    const now = createTestClock();
    const refusal = { error_message: `Estado desconocido de ${token}, 4051 8856 0044 6623\n${'x '.repeat(200)}` };
    const status = { status: 'INITIALIZED' };
    const method = createWebpayMethod({
      fetch: async ({ method: verb }) => ({
        kind: 'answered',
        status: verb === 'PUT' ? 422 : 200,
        retryAfter: null,
        excerpt: JSON.stringify(verb === 'PUT' ? refusal : status),
        durationMs: 1,
      }),
      now,
      baseUrl: null,
      keyOf: async () => TEST_ACCOUNT.key,
      onUnreadRefusal: (...told) => reported.push(told),
    });
    const payment = requestOf({ now }, { externalId: token });
    now.advance(120_000);
    for (let asked = 0; asked < 2; asked++) assert.equal((await method.commit?.(payment))?.kind, 'pending');
    const [[attempt, text = ''] = [], ...others] = reported;
    assert.deepEqual([attempt, others], [payment.attemptId, []]);
    assert.match(text, /^Estado desconocido de …, … x x /);
    assert.equal(text.length, 200);
  });

  test('is offered where it is configured, for Chilean pesos only', async (context) => {
    const { method } = await openWebpay(context);
    const offer = { environment: 'production', currency: 'CLP', amount: 1, configured: true } as const;
    assert.equal(method.accepts(offer), true);
    assert.equal(method.accepts({ ...offer, configured: false }), false);
    assert.equal(method.accepts({ ...offer, currency: 'USD' }), false);
  });
});

async function openRefunds() {
  const webpay = await openWebpay({ after });
  const payment = await openForm(webpay);
  const returned = broughtBy(webpay.standIn.choose(payment.externalId, 'pay'));
  await commit(webpay, { ...payment, returned });
  webpay.standIn.nextDay();
  const { attemptId, externalId, amount } = payment;
  return {
    refunds: webpay.method.refunds as Refunds,
    refund: (end: 'approved' | 'declined'): RefundOrder => ({
      refundId: 'rf_1',
      transactionId: 1001,
      environment: 'development',
      environmentId: 1,
      amount: end === 'approved' ? 1000 : amount + 1,
      currency: 'CLP',
      paid: amount,
      refundedBefore: 0,
      payment: { attemptId, externalId, account: TEST_ACCOUNT.account, detail: {} },
      lookups: 0,
      askedAt: null,
    }),
    balance: {
      giveBackElsewhere: (part: number) => webpay.standIn.refundInPortal(externalId, part),
      loseNextAnswer: () => webpay.standIn.fail('refund', 'drop_answer'),
      loseNextRequest: () => webpay.standIn.fail('refund', 'drop_request'),
      holdBack: (until: 'now' | null) => webpay.standIn.holdBalances(until),
    },
  };
}

describeRefunds('Webpay', openRefunds);
describeRefundBalance('Webpay', openRefunds);

describe('a refund by Webpay', () => {
  async function openPaid(context: Ending): Promise<WebpayCase & { refund: RefundOrder }> {
    const webpay = await openWebpay(context);
    const payment = await openForm(webpay);
    const returned = broughtBy(webpay.standIn.choose(payment.externalId, 'pay'));
    assert.equal((await commit(webpay, { ...payment, returned })).kind, 'approved');
    const { attemptId, externalId, amount } = payment;
    const refund: RefundOrder = {
      refundId: 'rf_1',
      transactionId: 1001,
      environment: 'development',
      environmentId: 1,
      amount,
      currency: 'CLP',
      paid: amount,
      refundedBefore: 0,
      payment: { attemptId, externalId, account: TEST_ACCOUNT.account, detail: {} },
      lookups: 0,
      askedAt: null,
    };
    return { ...webpay, refund };
  }

  test('in full is a reversal on the same day, and later a nullification with its own code', async (context) => {
    const sameDay = await openPaid(context);
    assert.deepEqual(await sameDay.method.refunds?.request(sameDay.refund), {
      kind: 'approved',
      detail: { type: 'REVERSED' },
      refunded: sameDay.refund.paid,
    });
    const later = await openPaid(context);
    later.standIn.nextDay();
    const outcome = await later.method.refunds?.request(later.refund);
    assert.ok(outcome?.kind === 'approved');
    assert.deepEqual([outcome.detail['type'], outcome.detail['authorization_code']], ['NULLIFIED', '123456']);
    assert.deepEqual([sameDay.standIn.charged(), later.standIn.charged()], [0, 0]);
  });

  for (const fault of ['drop_answer', 'late', 'error_500', 'malformed', 'drop_request'] as const) {
    test(`in parts that each end in ${fault} is looked up and refunded once`, async (context) => {
      const { method, standIn, refund, now } = await openPaid(context);
      assert.ok(method.refunds !== undefined);
      let refundedBefore = 0;
      for (const amount of [1000, 1000, 500]) {
        const part = { ...refund, amount, refundedBefore };
        assert.deepEqual(await method.refunds.lookup(part), { kind: 'absent', refunded: refundedBefore });
        const asked = { ...part, askedAt: now() };
        standIn.fail('refund', fault);
        await assert.rejects(method.refunds.request(part));
        standIn.release();
        const given = fault !== 'drop_request';
        // A balance without the refund proves nothing: it may be a week late.
        for (const wait of [1000, 2 * 60_000, 7 * 86_400_000]) {
          now.advance(wait);
          const known = await method.refunds.lookup({ ...asked, lookups: 1 });
          assert.equal(known.kind, given ? 'approved' : 'unknown');
        }
        if (!given) assert.equal((await method.refunds.request(asked)).kind, 'approved');
        refundedBefore += amount;
        assert.equal(standIn.charged(), refund.paid - refundedBefore);
      }
    });
  }

  test('of more than the remainder is declined', async (context) => {
    const { method, refund } = await openPaid(context);
    assert.deepEqual(await method.refunds?.request({ ...refund, amount: refund.paid + 1 }), {
      kind: 'declined',
      detail: { reason: 'refused_by_transbank' },
    });
  });

  test('that is refused on a repeated request is unknown, because a completed one is refused too', async (context) => {
    const { method, refund, now } = await openPaid(context);
    await method.refunds?.request(refund);
    assert.deepEqual(await method.refunds?.request({ ...refund, askedAt: now() }), { kind: 'unknown' });
  });

  for (const [given, said] of [
    [1000, 'approved'],
    [12_990, 'unknown'],
    [0, 'unknown'],
  ] as const) {
    test(`in part that is answered as a reversal is ${said} if ${given} was refunded`, async (context) => {
      const { method, standIn, refund } = await openPaid(context);
      assert.ok(method.refunds !== undefined);
      // Transbank may carry out the refund and answer something else.
      if (given === 12_990) await method.refunds.request(refund);
      if (given !== 1000) standIn.answerNext('refund', { type: 'REVERSED' });
      else standIn.fail('refund', 'reversed');
      const answer = await method.refunds.request({ ...refund, amount: 1000 });
      assert.deepEqual([answer.kind, answer.refunded], [said, given]);
    });
  }

  for (const askedAt of [null, 1]) {
    test(`is not known from the status of another payment, ${askedAt === null ? 'before' : 'after'} its request`, async (context) => {
      const { method, standIn, refund } = await openPaid(context);
      if (askedAt !== null) standIn.refundInPortal(refund.payment.externalId as string, refund.paid);
      standIn.fail('status', 'other_order');
      await assert.rejects(async () => method.refunds?.lookup({ ...refund, askedAt }), /another payment/);
    });
  }

  test('is not known from a nullification without a response code, which may have been made', async (context) => {
    const { method, standIn, refund } = await openPaid(context);
    for (const code of [{}, { response_code: null }, { response_code: '0' }]) {
      standIn.answerNext('refund', { type: 'NULLIFIED', balance: 0, nullified_amount: refund.paid, ...code });
      await assert.rejects(async () => method.refunds?.request(refund), /without its code/);
    }
  });

  for (const [askedAt, kind] of [
    [null, 'declined'],
    [1, 'unknown'],
  ] as const) {
    test(`is ${kind} when Transbank declines its ${askedAt === null ? 'first' : 'second'} request`, async (context) => {
      const { method, standIn, refund } = await openPaid(context);
      standIn.answerNext('refund', { type: 'NULLIFIED', response_code: -1 });
      assert.equal((await method.refunds?.request({ ...refund, askedAt }))?.kind, kind);
    });
  }

  test('without a connection is absent, because nothing was sent', async (context) => {
    const { refund } = await openPaid(context);
    // A closed stand-in to which no connection is open.
    const gone = await openWebpay(context);
    await gone.standIn[Symbol.asyncDispose]();
    assert.deepEqual(await gone.method.refunds?.request(refund), { kind: 'absent' });
  });

  test('of a payment that was refunded elsewhere too is unknown, for a person to decide', async (context) => {
    const { method, refund, now } = await openPaid(context);
    await method.refunds?.request({ ...refund, amount: 700 });
    const asked = { ...refund, amount: 1000, lookups: 1, askedAt: now() };
    assert.deepEqual(await method.refunds?.lookup(asked), { kind: 'unknown', refunded: 700 });
  });
});
