import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carryOutRefunds } from '../../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../../src/transactions/transaction.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { leaveFor } from '../../support/moving-shop.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { createPaidTransaction } from '../../support/test-books.ts';
import { refundingMethod } from '../../support/test-refunds.ts';
import { type Answer, jsonOf, startTestServer, type TestServer } from '../../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../../support/test-shop.ts';
import { createTestUser } from '../../support/test-user.ts';

const ACCEPTED = 'La anulación se encuentra en proceso';

forEachEngine('refunds over HTTP', (openTestDatabase) => {
  test('an accepted refund is answered in the shape of existing clients, and its token reads its status', async () => {
    await using shop = await open(openTestDatabase);
    const answer = await shop.refund({ amount: 12_990, type: 'total', nullifyTbk: true });
    const { message, code, errors, data } = jsonOf(answer) as Reply;
    assert.deepEqual([answer.status, message, code, errors], [200, ACCEPTED, 'REFUND_PROCESSING', null]);
    const token = data?.verificationToken as string;
    const path = `/trxs/${shop.paid.id}/nullification/status?verificationToken=${token}`;
    assert.deepEqual(jsonOf(await shop.get(path))['data'], { status: 'processing' });
    await carryOutRefunds(shop.app, 10);
    assert.deepEqual(jsonOf(await shop.get(path))['data'], { status: 'completed' });
  });

  test('a refund at a payment service that has moved is refused with 421 and the new address', async () => {
    await using shop = await open(openTestDatabase);
    await leaveFor(shop.app, shop.environment);
    shop.app.now.advance(2000);
    const answer = await shop.refund({ amount: 1000, type: 'parcial' });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [421, 'PAYMENT_SERVICE_MOVED']);
    assert.deepEqual(jsonOf(answer)['data'], { address: 'https://pay-2.example.cl' });
  });

  test('the refunds of a payment service that has moved are read at the new address alone', async () => {
    await using shop = await open(openTestDatabase);
    const { data } = jsonOf(await shop.refund({ amount: 990, type: 'parcial' })) as Reply;
    await leaveFor(shop.app, shop.environment);
    shop.app.now.advance(2000);
    for (const path of ['', `/status?verificationToken=${data?.verificationToken}`]) {
      const answer = await shop.get(`/trxs/${shop.paid.id}/nullification${path}`);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [421, 'PAYMENT_SERVICE_MOVED'], path);
    }
  });

  test('the list has every refund, with and without the slash at the end', async () => {
    await using shop = await open(openTestDatabase);
    const { data } = jsonOf(await shop.refund({ amount: 990, type: 'parcial' })) as Reply;
    await carryOutRefunds(shop.app, 10);
    for (const path of [`/trxs/${shop.paid.id}/nullification`, `/trxs/${shop.paid.id}/nullification/`]) {
      assert.deepEqual((jsonOf(await shop.get(path))['data'] as { nullifications: unknown }).nullifications, [
        {
          verificationToken: data?.verificationToken,
          tipo: 'parcial',
          montoAnulado: 990,
          status: 'completed',
          timestamp: 1_768_478_400,
          dateTime: '2026-01-15T12:00:00.000Z',
          currency: 'CLP',
          settledAt: '2026-01-15T12:00:00.000Z',
        },
      ]);
    }
  });

  test('a refusal is answered with status 200, a message and a stable code', async () => {
    await using shop = await open(openTestDatabase);
    const pending = await createTestTransaction(shop.app, shop.environment, { reference: 'PENDING' });
    const onPending = await shop.refund({ amount: 1000, type: 'parcial' }, { transaction: pending });
    assertRefused(onPending, 'TRANSACTION_NOT_COMPLETED', 'Transacción no esta completada');
    assertRefused(await shop.refund({ amount: 20_000, type: 'parcial' }), 'REFUND_AMOUNT_TOO_HIGH');
    assert.equal((await shop.refund({ amount: 12_990, type: 'total' })).status, 200);
    const same = await shop.refund({ amount: 12_990, type: 'total' });
    assert.equal(same.headers.get('idempotency-hit'), 'true');
    const again = await shop.refund({ amount: 12_990, type: 'total' }, { headers: { 'idempotency-key': 'another' } });
    assertRefused(again, 'ALREADY_REFUNDED', 'Transacción ya se encuentra anulada');
    const old = await createPaidTransaction(shop.app, shop.environment);
    await shop.passDays(91);
    const late = await shop.refund({ amount: 12_990, type: 'total' }, { transaction: old });
    assertRefused(late, 'REFUND_WINDOW_CLOSED', 'La Trx tiene más de 90 días');
  });

  test('the terms of the payment method apply', async () => {
    const method = refundingMethod({ terms: { partial: false, minimumAgeHours: 48 } });
    await using shop = await open(openTestDatabase, method);
    const soon = await shop.refund({ amount: 1000, type: 'parcial' });
    const message = 'Transacciones pueden ser anuladas 48hrs hábiles después de haber sido completadas';
    assertRefused(soon, 'REFUND_TOO_EARLY', message);
    await shop.passDays(5);
    const partial = await shop.refund({ amount: 1000, type: 'parcial' });
    assertRefused(partial, 'PARTIAL_REFUND_NOT_ALLOWED', 'La transacción no se puede anular parcialmente');
  });

  test('a payment of a method without refunds is not refunded', async () => {
    await using shop = await open(openTestDatabase);
    const { refunds: _, ...method } = refundingMethod();
    const app = createTestApp(shop.app.db, { paymentMethods: [method], now: shop.app.now });
    await using server = await startTestServer(app);
    const { headers } = await createTestUser(app);
    const answer = await server.post(`/trxs/${shop.paid.id}/nullification`, {
      headers,
      json: { amount: 12_990, type: 'total' },
    });
    assertRefused(answer, 'METHOD_GIVES_NO_REFUNDS', 'La Trx no es de crédito');
  });

  test('a refund over the limit of the user is refused with the limit and what is left of it', async () => {
    await using shop = await open(openTestDatabase);
    const { headers } = await createTestUser(shop.app, { refundLimits: { CLP: 999 } });
    const answer = await shop.refund({ amount: 1000, type: 'parcial' }, { headers });
    assert.equal(answer.status, 403);
    const { code, data } = jsonOf(answer) as { code: string; data: unknown };
    assert.deepEqual([code, data], ['REFUND_LIMIT_REACHED', { limit: 999, left: 999, currency: 'CLP' }]);
  });

  const shapes: [string, string, string[]][] = [
    ['amount 0', '{"amount":0,"type":"total"}', ['/amount']],
    ['a negative amount', '{"amount":-1,"type":"total"}', ['/amount']],
    ['decimals that the currency has not', '{"amount":10.5,"type":"parcial"}', ['/amount']],
    ['a thousand with a point', '{"amount":1.000,"type":"parcial"}', ['/amount']],
    ['an amount as text', '{"amount":"1000","type":"total"}', ['/amount']],
    ['an exponent', '{"amount":1e3,"type":"total"}', ['/amount']],
    ['no amount', '{"type":"total"}', ['/amount']],
    ['no type', '{"amount":1000}', ['/type']],
    ['another type', '{"amount":1000,"type":"partial"}', ['/type']],
    ['an unknown member', '{"amount":1000,"type":"total","to":"me"}', ['/to']],
    ['nothing', '{}', ['/amount', '/type']],
  ];
  test('a body of the wrong shape is answered 422 with the message that existing clients expect', async () => {
    await using shop = await open(openTestDatabase);
    for (const [what, body, pointers] of shapes) {
      const answer = await shop.refund(body);
      const problem = jsonOf(answer) as { code: string; message: string; errors: { pointer: string }[] };
      assert.deepEqual(
        [answer.status, problem.code, problem.message],
        [422, 'INVALID_BODY', 'Invalid request body'],
        what,
      );
      assert.deepEqual(
        problem.errors.map(({ pointer }) => pointer),
        pointers,
        what,
      );
    }
    assert.deepEqual(await shop.app.db.query('select id from refunds'), []);
  });

  test('a control character in a body is refused, as the description of the API says', async () => {
    await using shop = await open(openTestDatabase);
    const answer = await shop.refund('{"amount":1000,"type":"total\\u0000"}');
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'CONTROL_CHARACTER']);
  });

  test('a value of 4097 characters is refused, as the description of the API says', async () => {
    await using shop = await open(openTestDatabase);
    const answer = await shop.refund({ amount: 1000, type: 't'.repeat(4097) });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'FIELD_TOO_LONG']);
    assert.match(String(jsonOf(answer)['detail']), /4096 in any other value\.$/);
  });

  test('a refund without its type or amount is answered with what to send', async () => {
    await using shop = await open(openTestDatabase);
    const { errors } = jsonOf(await shop.refund('{}')) as { errors: { fix: string }[] };
    assert.deepEqual(
      errors.map(({ fix }) => fix),
      ['Send a number.', 'Send total or parcial.'],
    );
  });

  test('a status without the token of a refund is answered with where its token is', async () => {
    await using shop = await open(openTestDatabase);
    await shop.refund({ amount: 1000, type: 'parcial' });
    const answer = await shop.get(`/trxs/${shop.paid.id}/nullification/status`);
    assert.equal(answer.status, 404);
    assert.match(String(jsonOf(answer)['detail']), /verificationToken.*`GET \/trxs\/\{id\}\/nullification` lists them/);
  });

  test('1000.0, as some clients write a number, is 1000', async () => {
    await using shop = await open(openTestDatabase);
    assert.equal((jsonOf(await shop.refund('{"amount":1000.0,"type":"parcial"}')) as Reply).message, ACCEPTED);
  });

  test('the transaction of another merchant is answered like one that does not exist', async () => {
    await using shop = await open(openTestDatabase);
    const stranger = await createTestUser(shop.app, {
      paymentServices: [(await createTestEnvironment(shop.app)).paymentServiceId],
    });
    const bodies: string[] = [];
    for (const id of [String(shop.paid.id), '999999', '0', 'x']) {
      const base = `/trxs/${id}/nullification`;
      const answers = [
        await shop.server.post(base, { headers: stranger.headers, json: { amount: 1000, type: 'total' } }),
        await shop.server.get(base, stranger.headers),
        await shop.server.get(`${base}/status?verificationToken=rf_1`, stranger.headers),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 403);
        bodies.push(answer.text.replace(/"request_id":"[^"]*"/, ''));
      }
    }
    assert.equal(new Set(bodies).size, 1);
    const problem = JSON.parse(bodies[0]?.replace(',,', ',') as string) as { message: string };
    assert.equal(problem.message, "User doesn't exist or doesn't have permissions");
  });

  test('a request without an access token is answered 401', async () => {
    await using shop = await open(openTestDatabase);
    const base = `/trxs/${shop.paid.id}/nullification`;
    assert.equal((await shop.server.post(base, { json: { amount: 1000, type: 'total' } })).status, 401);
    assert.equal((await shop.server.get(base)).status, 401);
    assert.equal((await shop.server.get(`${base}/status`)).status, 401);
  });

  test('an idempotency key refunds once, and belongs to one refund', async () => {
    await using shop = await open(openTestDatabase);
    const key = { 'idempotency-key': 'order-1-refund' };
    const first = await shop.refund({ amount: 990, type: 'parcial' }, { headers: key });
    const again = await shop.refund({ amount: 990, type: 'parcial' }, { headers: key });
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotency-hit'), 'true');
    assert.equal(first.headers.get('idempotency-hit'), null);
    const other = await shop.refund({ amount: 991, type: 'parcial' }, { headers: key });
    assert.deepEqual([other.status, jsonOf(other)['code']], [409, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal(
      (await shop.refund({ amount: 1, type: 'parcial' }, { headers: { 'idempotency-key': 'ñ' } })).status,
      400,
    );
    assert.equal((await shop.app.db.query('select id from refunds')).length, 1);
  });

  test('the token of another transaction’s refund is answered 404', async () => {
    await using shop = await open(openTestDatabase);
    const other = await createPaidTransaction(shop.app, shop.environment);
    const { data } = jsonOf(await shop.refund({ amount: 990, type: 'parcial' }, { transaction: other })) as Reply;
    for (const token of [data?.verificationToken, 'rf_unknown', '']) {
      const path = `/trxs/${shop.paid.id}/nullification/status?verificationToken=${token}`;
      assert.equal((await shop.get(path)).status, 404);
    }
  });
});

type Reply = { message: string; code: string; errors: null; data: { verificationToken: string } | null };

type Shop = AsyncDisposable & {
  app: TestApp;
  server: TestServer;
  environment: Awaited<ReturnType<typeof createTestEnvironment>>;
  paid: Transaction;
  get(path: string): Promise<Answer>;
  /** Advances the clock by days and logs the user in again. */
  passDays(days: number): Promise<void>;
  refund(
    body: object | string,
    question?: { transaction?: Transaction; headers?: Record<string, string> },
  ): Promise<Answer>;
};

async function open(openTestDatabase: OpenTestDatabase, method = refundingMethod()): Promise<Shop> {
  const app = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
  const environment = await createTestEnvironment(app);
  const paid = await createPaidTransaction(app, environment);
  const logIn = () => createTestUser(app, { paymentServices: [environment.paymentServiceId] });
  let user = await logIn();
  const server = await startTestServer(app);
  return {
    app,
    server,
    environment,
    paid,
    get: (path) => server.get(path, user.headers),
    passDays: async (days) => {
      app.now.advance(days * 86_400_000);
      user = await logIn();
    },
    refund: (body, { transaction = paid, headers = {} } = {}) =>
      server.post(`/trxs/${transaction.id}/nullification`, {
        headers: { ...user.headers, ...headers, 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function assertRefused(answer: Answer, code: string, message?: string): void {
  const reply = jsonOf(answer) as Reply;
  assert.deepEqual([answer.status, reply.code, reply.errors, reply.data], [200, code, null, null]);
  if (message !== undefined) assert.equal(reply.message, message);
}
