import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ATTENTION_KINDS } from '../../src/attention/attention-kinds.ts';
import { listAttention } from '../../src/attention/list-attention.ts';
import { measureAttention, showAttention } from '../../src/attention/measure-attention.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { readFilter } from '../../src/cli/payments/callback-filter.ts';
import { sayFinding } from '../../src/health/finding.ts';
import { workFindings } from '../../src/health/work-findings.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { listCallbacks, resendCallback, resendCallbacks } from '../../src/outbox/resend-callback.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { openCheckout, readAttempt, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund, refundingMethod } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const HOUR = 60 * 60_000;

test('docs/operation.md explains every kind of the attention list', () => {
  const page = readFileSync(new URL('../../docs/operation.md', import.meta.url), 'utf8');
  assert.deepEqual(
    ATTENTION_KINDS.filter(({ kind }) => !page.includes(`\n| \`${kind}\` | `)).map(({ kind }) => kind),
    [],
  );
});

forEachEngine('the attention list', (openTestDatabase) => {
  test('is empty in a store without problems', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    app.now.advance(HOUR);
    assert.deepEqual(await listAttention(app, null, 10), []);
    const counts = (await measureAttention(app)).map(({ kind, count, oldest }) => [kind, count, oldest]);
    assert.deepEqual(
      counts,
      ATTENTION_KINDS.map(({ kind }) => [kind, 0, null]),
    );
  });

  test('has a payment without an answer after half an hour, with its age and the command that settles it', async () => {
    const method = scriptMethod({ start: async () => ({ kind: 'unknown' }) });
    const { app, environment, transaction } = await openCheckout(openTestDatabase, { method });
    const begun = app.now();
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    app.now.advance(HOUR / 2 - 1);
    assert.deepEqual(await listAttention(app, null, 10), []);
    app.now.advance(1);
    assert.deepEqual(await listAttention(app, null, 10), [
      {
        kind: 'payment',
        id,
        payment_service: environment.paymentServiceId,
        name: 'Test shop',
        environment: 'development',
        transaction: transaction.id,
        taken_by: null,
        taken_at: null,
        since: begun,
        age: HOUR / 2,
        amount: 12_990,
        currency: 'CLP',
        reason: 'scripted has not said what became of it',
        command: `bin/rubrica payment settle ${id} --outcome approved|declined|aborted --evidence FILE --reason TEXT`,
      },
    ]);
  });

  test('has a payment that its method contradicts at once, with the method’s answer', async () => {
    const detail = { reason: 'other_payment', amount: 1 };
    const method = scriptMethod({ start: async () => ({ kind: 'contradiction', detail }) });
    const { app, transaction } = await openCheckout(openTestDatabase, { method });
    await startPayment(app, transaction, 'scripted');
    const [row, ...others] = await listAttention(app, 'payment', 10);
    assert.deepEqual([row?.transaction, row?.age, others], [transaction.id, 0, []]);
    assert.match(row?.reason ?? '', /^scripted answered with another payment: amount 1$/);
  });

  test('has an unfinished refund after a day, and money in suspense until a person decides', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const refund = await acceptedRefund(app, await createPaidTransaction(app, environment), 1000);
    app.now.advance(1);
    const late = await createLatePayment(app, environment);
    assert.deepEqual(
      (await listAttention(app, null, 10)).map(({ kind, transaction, amount }) => [kind, transaction, amount]),
      [['suspense', late.id, late.amount]],
    );
    app.now.advance(24 * HOUR);
    assert.deepEqual(
      (await listAttention(app, null, 10)).map(({ kind, id }) => [kind, id]),
      [
        ['refund', refund.id],
        ['suspense', '2.0'],
      ],
    );
    assert.equal((await listAttention(app, null, 1)).length, 1);
    await resolveSuspense(app, late.id, { decision: 'returned', reason: 'seen', by: TESTER });
    assert.deepEqual(await listAttention(app, 'suspense', 10), []);
  });

  test('has a refund that its method has not answered after an hour, with the command that settles it', async () => {
    const method = refundingMethod({ request: async () => ({ kind: 'unknown' }) });
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
    const { id } = await acceptedRefund(app, await createPaidTransaction(app, await createTestEnvironment(app)), 1000);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await listAttention(app, null, 10), []);
    app.now.advance(HOUR);
    const [row] = await listAttention(app, null, 10);
    assert.deepEqual([row?.kind, row?.id, row?.age, row?.amount], ['refund', id, HOUR, 1000]);
    assert.match(row?.reason ?? '', /^Simulator was asked for it and has not said what became of it/);
    assert.equal(
      row?.command,
      `bin/rubrica refund settle ${id} --outcome completed|failed --evidence FILE --reason TEXT`,
    );
  });

  test('shows at once money that the method refunded without a request, and the refund that it holds up', async () => {
    const method = refundingMethod({ lookup: async () => ({ kind: 'absent', refunded: 700 }) });
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
    const { id } = await acceptedRefund(app, await createPaidTransaction(app, await createTestEnvironment(app)), 1000);
    await carryOutRefunds(app, 10);
    const listed = await listAttention(app, null, 10);
    assert.deepEqual(
      listed.map(({ kind, amount, age, reason }) => [kind, amount, age, reason]),
      [
        [
          'refund',
          1000,
          0,
          '$700 CLP went back at Simulator that no refund asked for, and is in suspense. Where it is this refund, settle it as completed: it takes its amount out of suspense. Where it is not, resolve the suspense, and then retry or settle the refund; the refund is under way',
        ],
        ['suspense', 700, 0, 'money went back at a payment method that no refund asked for, as in a chargeback'],
      ],
    );
    const [spanish] = await listAttention(app, 'refund', 10, 'es');
    assert.match(spanish?.reason ?? '', /; la devolución está en proceso$/);
    assert.equal(listed[0]?.id, id);
    assert.equal(method.requested.length, 0);
  });

  test('has a callback that was given up, with the command that resends it', async () => {
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 400, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const { id } = await createPaidTransaction(app, await createTestEnvironment(app));
    for (let attempt = 0; attempt < 3; attempt++) {
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
      app.now.advance(HOUR);
    }
    const [row] = await listAttention(app, null, 10);
    assert.deepEqual([row?.kind, row?.transaction, row?.endpoint, row?.amount], ['callback', id, 1, null]);
    assert.equal(row?.command, `bin/rubrica callback resend ${row?.id}`);
  });

  test('has nothing of a payment service that has moved away, and counts none of it', async () => {
    const app = createTestApp(await openTestDatabase());
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [moved, moved, here]) {
      await createLatePayment(app, environment);
      app.now.advance(1000);
    }
    await leaveFor(app, moved);
    const [row] = await listAttention(app, null, 1);
    assert.equal(row?.payment_service, here.paymentServiceId);
    const measured = (await measureAttention(app)).filter(({ count }) => count > 0);
    assert.deepEqual(
      measured.map(({ kind, count, oldest }) => [kind, count, oldest]),
      [['suspense', 1, row?.since]],
    );
  });

  test('has a failing endpoint with the command that sends to it, and not to another merchant at its address', async () => {
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 500, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const environments = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of environments) await createPaidTransaction(app, environment);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    const rows = await listAttention(app, 'endpoint', 10);
    assert.deepEqual(
      rows.map(({ command }) => command),
      rows.map(({ id }) => `bin/rubrica callback resend --endpoint ${id}`),
    );
    const filter = await readFilter(app, { endpoint: rows[0]?.id ?? '' });
    assert.deepEqual(
      (await listCallbacks(app, filter, 10)).map(({ payment_service }) => payment_service),
      [rows[0]?.payment_service],
    );
    assert.equal((await resendCallbacks(app, filter, TESTER)).resent, 1);
    const both = await readFilter(app, { endpoint: 'https://shop.example.cl/callback?order=1' });
    assert.equal((await listCallbacks(app, both, 10)).length, 2);
  });

  /** An app whose shop has answered 410 to the callback of a payment. */
  const openGone = async () => {
    const shop = { status: 410 };
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: shop.status, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const environment = await createTestEnvironment(app);
    const deliver = async () => {
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
    };
    await createPaidTransaction(app, environment);
    await deliver();
    return { app, environment, shop, deliver };
  };

  test('has an endpoint that answered 410 while recent callbacks are kept for it, and doctor names it', async () => {
    const { app, environment, shop, deliver } = await openGone();
    await createPaidTransaction(app, environment);
    const listed = async () => {
      const measured = await measureAttention(app);
      const rows = await listAttention(app, 'endpoint', 10);
      return [rows.length, measured.find(({ kind }) => kind === 'endpoint')?.count];
    };
    assert.deepEqual(await listed(), [1, 1]);
    const [row] = await listAttention(app, 'endpoint', 10);
    assert.match(row?.reason ?? '', /410.*its callbacks are kept and not sent/);
    const named = (await workFindings(app)).flatMap((one) => sayFinding(one, 'en').says).join('\n');
    assert.match(
      named,
      /1 failing endpoint, [^]*\/callback of .* has failed since .*: its callbacks are stored and not sent; .*\(410\)/,
    );
    app.now.advance(8 * 24 * HOUR);
    assert.deepEqual(await listed(), [0, 0], 'a gone endpoint without recent callbacks is not listed');
    await createPaidTransaction(app, environment);
    assert.deepEqual(await listed(), [1, 1]);
    shop.status = 200;
    await resendCallbacks(app, { state: 'disabled' }, TESTER);
    await deliver();
    assert.deepEqual(await listed(), [0, 0]);
  });

  test('has an endpoint that takes callbacks again, until the callbacks that its 410 kept are sent too', async () => {
    const { app, environment, shop, deliver } = await openGone();
    const since = app.now();
    await createPaidTransaction(app, environment);
    await createPaidTransaction(app, environment);
    shop.status = 200;
    const [one] = await listCallbacks(app, { state: 'disabled' }, 1);
    assert.equal(await resendCallback(app, one?.id as number, TESTER), 'queued');
    await deliver();
    const [row] = await listAttention(app, 'endpoint', 10);
    assert.equal(row?.since, since);
    assert.match(
      row?.reason ?? '',
      /\/callback takes callbacks again, but the callbacks that were kept while it answered 410 are not sent/,
    );
    const count = async () => (await measureAttention(app)).find(({ kind }) => kind === 'endpoint')?.count;
    assert.equal(await count(), 1);
    const named = (await workFindings(app)).flatMap((each) => sayFinding(each, 'en').says).join('\n');
    assert.match(named, /\/callback takes callbacks again, .* are not sent/);
    const filter = await readFilter(app, { endpoint: row?.id ?? '' });
    assert.equal((await resendCallbacks(app, filter, TESTER)).resent, 2);
    await deliver();
    assert.deepEqual([await listAttention(app, 'endpoint', 10), await count()], [[], 0]);
  });

  test('has no endpoint for posts that ended because nobody wants them', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    const ended = `update callbacks set state = 'disabled', finished_at = ${app.now()}, content_type = 'application/json'`;
    for (const webhookId of ['evt_1001_4_wh_0abc', 'evt_po_0abc_confirmed_wh_0abc', 'evt_1001_4', 'evt_2_1001_4']) {
      await app.db.transaction((tx) =>
        tx.query(`${ended}, webhook_id = '${webhookId}', transaction_id = ${webhookId.includes('po_') ? 0 : 1001}`),
      );
      assert.deepEqual(await listAttention(app, 'endpoint', 10), []);
    }
    await app.db.transaction((tx) => tx.query(`${ended}, webhook_id = 'evt_po_0wha_confirmed', transaction_id = 0`));
    assert.equal((await listAttention(app, 'endpoint', 10)).length, 1, 'a post to the URL of a payout is owed');
  });

  test('sorts endpoints by age, whether they fail or answered 410', async () => {
    const shop = { status: 410 };
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: shop.status, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const [gone, failing] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [gone, gone, failing]) {
      if (environment === failing) shop.status = 500;
      app.now.advance(60_000);
      await createPaidTransaction(app, environment);
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
    }
    const listed = async (limit: number) =>
      (await listAttention(app, 'endpoint', limit)).map((row) => row.payment_service);
    assert.deepEqual(await listed(10), [gone.paymentServiceId, failing.paymentServiceId]);
    assert.deepEqual(await listed(1), [gone.paymentServiceId]);
  });

  test('metrics and doctor leave out failing endpoints of a payment service that has moved away', async () => {
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 500, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [moved, here]) await createPaidTransaction(app, environment);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    await leaveFor(app, moved);
    const found = (await workFindings(app)).map((finding) => sayFinding(finding, 'en'));
    const failing = found.filter(({ check, fix }) => check === 'endpoint' && fix !== null);
    assert.equal(failing.length, 2, 'one finding has the number, one names the endpoint');
    assert.ok(failing.every(({ says }) => !says.includes(moved.paymentServiceId)));
    await showAttention(app);
    const text = await app.metrics.registry.metrics();
    assert.match(text, new RegExp(`^rubrica_failing_endpoint_.*${here.paymentServiceId}`, 'm'));
    assert.doesNotMatch(text, new RegExp(`^rubrica_failing_endpoint_.*${moved.paymentServiceId}`, 'm'));
  });

  test('gives the same metrics in every process, and none when the store does not answer', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createLatePayment(app, environment);
    app.now.advance(90_000);
    const other = createTestApp(app.db, { now: app.now });
    for (const process of [app, other]) {
      await showAttention(process);
      const text = await process.metrics.registry.metrics();
      assert.match(text, /^rubrica_attention\{kind="suspense"\} 1$/m);
      assert.match(text, /^rubrica_attention\{kind="payment"\} 0$/m);
      assert.match(text, /^rubrica_attention_oldest_seconds\{kind="suspense"\} 90$/m);
      assert.match(text, /^rubrica_unresolved_payments 1$/m);
    }
    const gone = createTestApp({ ...app.db, query: async () => Promise.reject(new Error('gone')) });
    await showAttention(gone);
    assert.doesNotMatch(await gone.metrics.registry.metrics(), /^rubrica_attention/m);
  });
});
