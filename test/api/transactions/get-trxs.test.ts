import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../../src/checkout/cancel-transaction.ts';
import { startPayment } from '../../../src/checkout/start-payment.ts';
import type { PaymentOutcome } from '../../../src/payment-methods/payment-method.ts';
import { expireTransactions } from '../../../src/transactions/expire-transactions.ts';
import { approved, scriptMethod } from '../../checkout/checkout-case.ts';
import { forEachEngine } from '../../support/engines.ts';
import { leaveFor } from '../../support/moving-shop.ts';
import { createTestApp } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../../support/test-shop.ts';
import { createTestUser } from '../../support/test-user.ts';

type Reply = { message: string; errors: null; data: Record<string, unknown> };

forEachEngine('GET /trxs/{id}', (openTestDatabase) => {
  test('of a payment service that has moved is answered 421 with the new address: the state here is old', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { id } = await createTestTransaction(app, environment);
    const { headers } = await createTestUser(app);
    const stranger = await createTestUser(app, {
      paymentServices: [(await createTestEnvironment(app)).paymentServiceId],
    });
    await leaveFor(app, environment);
    app.now.advance(2000);
    await using server = await startTestServer(app);
    for (const [path, unseen] of [
      [`/trxs/${id}`, 404],
      [`/v2/trxs/${id}/status`, 404],
      [`/trxs/status/${id}`, 403],
    ] as const) {
      const answer = await server.get(path, headers);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [421, 'PAYMENT_SERVICE_MOVED'], path);
      assert.deepEqual(jsonOf(answer)['data'], { address: 'https://pay-2.example.cl' });
      assert.equal((await server.get(path, stranger.headers)).status, unseen, path);
    }
  });

  test('shows a paid transaction with the fields of existing clients and with our own', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const transaction = await createTestTransaction(app, environment);
    app.now.advance(90_000);
    await startPayment(app, transaction, 'simulated');
    const { headers } = await createTestUser(app);
    await using server = await startTestServer(app);
    const answer = await server.get(`/trxs/${transaction.id}`, headers);
    assert.equal(answer.status, 200);
    assert.deepEqual(jsonOf(answer), {
      message: 'Trx encontrada',
      errors: null,
      data: {
        idTrx: transaction.id,
        idService: environment.id,
        orderIdTienda: 'ORD-1',
        amount: 12_990,
        cost: 0,
        email: 'buyer@example.cl',
        authCode: '001001',
        createdAt: '2026-01-15T12:00:00.000Z',
        updatedAt: '2026-01-15T12:01:30.000Z',
        callbackURL: 'https://shop.example.cl/callback?order=1',
        completeURL: 'https://shop.example.cl/complete?order=1',
        cancelURL: 'https://shop.example.cl/cancel?order=1',
        ip: null,
        browserData: null,
        source: 'simulated',
        timestamp: '2026-01-15T12:00:00.000Z',
        paymentTypeCode: null,
        sharesNumber: null,
        responceCode: null,
        vci: null,
        abonos: [],
        status: 'complete',
        state: 'completed',
        currency: 'CLP',
        environment: 'development',
        test: true,
        paymentService: environment.paymentServiceId,
        paymentMethod: 'simulated',
        sequence: 2,
        expiresAt: '2026-01-15T13:00:00.000Z',
        settledAt: '2026-01-15T12:01:30.000Z',
      },
    });
    // A reader of a transaction must not be able to open its pay page.
    assert.ok(!answer.text.includes(transaction.pay_secret));
  });

  test('writes amounts in major units, and says whether it is a test', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app, 'production');
    const { id } = await createTestTransaction(app, environment, { amount: 1_050, currency: 'USD' });
    const { headers } = await createTestUser(app);
    await using server = await startTestServer(app);
    const { data } = jsonOf(await server.get(`/trxs/${id}`, headers)) as Reply;
    const { amount, currency, test, settledAt, updatedAt, createdAt, authCode, paymentMethod } = data;
    assert.deepEqual(
      { amount, currency, test, settledAt, authCode, paymentMethod },
      { amount: 10.5, currency: 'USD', test: false, settledAt: null, authCode: null, paymentMethod: null },
    );
    assert.equal(updatedAt, createdAt);
  });

  test('shows the status of every state, also in the second version of the endpoint', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { headers } = await createTestUser(app);
    await using server = await startTestServer(app);
    const create = (reference: string, amount = 1000) => createTestTransaction(app, environment, { reference, amount });
    const cancelled = await create('cancelled');
    await cancelTransaction(app, cancelled);
    const expired = await create('expired');
    app.now.advance(3_600_000);
    await expireTransactions(app, 10);
    const completed = await create('completed');
    await startPayment(app, completed, 'simulated');
    const failed = await create('failed', 5001);
    await startPayment(app, failed, 'simulated');
    await cancelTransaction(app, failed);
    const pending = await create('pending');
    const cases: [{ id: number }, string, string][] = [
      [pending, 'pending', 'pending'],
      [completed, 'complete', 'completed'],
      [failed, 'failed', 'failed'],
      [cancelled, 'failed', 'cancelled'],
      [expired, 'failed', 'expired'],
    ];
    for (const [{ id }, status, state] of cases) {
      const { data } = jsonOf(await server.get(`/trxs/${id}`, headers)) as Reply;
      assert.deepEqual([data['status'], data['state']], [status, state]);
      const short = jsonOf(await server.get(`/v2/trxs/${id}/status`, headers)) as Reply;
      assert.deepEqual(short, { message: 'Trx encontrada', errors: null, data: { status } });
    }
  });

  test('shows what the decline said that decided the state, also after an attempt that took nothing', async () => {
    const said = { response_code: -1, payment_type_code: 'VN', vci: 'TSY' };
    const answers: PaymentOutcome[] = [
      { kind: 'declined', detail: said },
      { kind: 'aborted', detail: { reason: 'turned_back' } },
    ];
    const method = scriptMethod({ start: async () => answers.shift() ?? approved });
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
    const transaction = await createTestTransaction(app, await createTestEnvironment(app));
    const { headers } = await createTestUser(app);
    await using server = await startTestServer(app);
    for (let attempt = 0; attempt < 2; attempt++) {
      await startPayment(app, transaction, 'scripted');
      app.now.advance(1000);
    }
    await cancelTransaction(app, transaction);
    const { data } = jsonOf(await server.get(`/trxs/${transaction.id}`, headers)) as Reply;
    const { state, responceCode, paymentTypeCode, vci } = data;
    assert.deepEqual(
      { state, responceCode, paymentTypeCode, vci },
      { state: 'failed', responceCode: -1, paymentTypeCode: 'VN', vci: 'TSY' },
    );
  });

  test('answers for the transaction of another merchant exactly as for one that does not exist', async () => {
    const app = createTestApp(await openTestDatabase());
    const [own, other] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const { headers } = await createTestUser(app, { paymentServices: [own.paymentServiceId] });
    const visible = await createTestTransaction(app, own);
    const hidden = await createTestTransaction(app, other);
    await using server = await startTestServer(app);
    for (const pathOf of [(id: number | string) => `/trxs/${id}`, (id: number | string) => `/v2/trxs/${id}/status`]) {
      assert.equal((await server.get(pathOf(visible.id), headers)).status, 200);
      const missing = await server.get(pathOf(999_999), headers);
      assert.equal(missing.status, 404);
      assert.equal(withoutRequestId(await server.get(pathOf(hidden.id), headers)), withoutRequestId(missing));
      for (const id of [`0${visible.id}`, `${visible.id}.0`, `+${visible.id}`, '1e3', '-1', '9'.repeat(16), 'x']) {
        assert.equal(withoutRequestId(await server.get(pathOf(id), headers)), withoutRequestId(missing), id);
      }
    }
  });

  test('requires an access token', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestTransaction(app, await createTestEnvironment(app));
    await using server = await startTestServer(app);
    for (const path of [`/trxs/${id}`, `/v2/trxs/${id}/status`, '/trxs/999999']) {
      const answer = await server.get(path);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [401, 'TOKEN_MISSING']);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });
});

function withoutRequestId({ status, text }: Answer): string {
  return `${status} ${text.replace(/"request_id":"[^"]+"/, '')}`;
}
