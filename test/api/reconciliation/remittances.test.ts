import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceEnvironment } from '../../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../../src/refunds/carry-out-refunds.ts';
import type { Transaction } from '../../../src/transactions/transaction.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../../support/test-books.ts';
import { payOut, setTestFee } from '../../support/test-movements.ts';
import { acceptedRefund } from '../../support/test-refunds.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestEnvironment } from '../../support/test-shop.ts';
import { createTestUser, type TestUser } from '../../support/test-user.ts';

/** In milliseconds. The access token lasts one day. */
const NEARLY_A_DAY = 23 * 3_600_000;

forEachEngine('remittances over HTTP', (openTestDatabase) => {
  test('sums beyond 2^53 have every digit on the wire', async () => {
    await using shop = await open(openTestDatabase);
    const most = { amount: 999_999_999_999_999, currency: 'CLF' };
    for (let payment = 0; payment < 11; payment++) await createPaidTransaction(shop.app, shop.environment, most);
    const scope = 'environment=development&currency=CLF';
    const day = await shop.get(`/remittances/conciliation?date=2026-01-15&${scope}`);
    assert.match(day.text, /"totalRemittances":1099999999999\.9989,.*"totalTransactions":1099999999999\.9989,/);
    const now = await shop.get(`/indicators/remittances?availableBalance=true&futureRemittances=true&${scope}`);
    assert.match(now.text, /"availableBalance":1099999999999\.9989,/);
    assert.match(now.text, /"remittances":\[\{"status":"processing","total":1099999999999\.9989\}\]/);
  });

  test('a day has its payments and refunds, each with its entry, in the shape that existing clients read', async () => {
    await using shop = await open(openTestDatabase);
    const { paid, refund } = await twoDays(shop.app, shop.environment);
    assert.deepEqual(await shop.data('/remittances/conciliation/?email=&date=2026-01-15&environment=development'), {
      totalRemittances: 12_990,
      items: [
        {
          amount: 12_990,
          cost: 0,
          total: 12_990,
          idTrx: paid.id,
          order_id_tienda: paid.reference,
          createdAt: paid.created_at,
          dateTimeCreatedAt: '2026-01-15T12:00:00.000Z',
          isTotalNullified: false,
          isParcialNullified: true,
          currency: 'CLP',
          document: { id: 77, type: 'boleta' },
          entry: `${shop.environment.id}/1.0`,
        },
      ],
      totalTransactions: 12_990,
      totalNullification: 0,
      nullifications: [],
      payouts: [],
    });
    assert.deepEqual(await shop.data('/remittances/conciliation?date=2026-01-16&environment=development'), {
      totalRemittances: -2990,
      items: [],
      totalTransactions: 0,
      totalNullification: 2990,
      nullifications: [
        {
          tipo: 'parcial',
          montoAnulado: 2990,
          status: 'completed',
          timestamp: 1_768_561_200,
          dateTime: '2026-01-16T11:00:00.000Z',
          idTrx: paid.id,
          verificationToken: refund.id,
          entry: `${shop.environment.id}/2.0`,
        },
      ],
      payouts: [],
    });
  });

  test('a day may be sent as a time, as clients in JavaScript send their dates', async () => {
    await using shop = await open(openTestDatabase);
    await createPaidTransaction(shop.app, shop.environment);
    const data = await shop.data('/remittances/conciliation?email=&date=2026-01-15T00%3A00%3A00.000Z');
    assert.equal(data['totalTransactions'], 12_990);
    const path = '/indicators/remittances?remittanceByDate=2026-01-15T00%3A00%3A00.000Z';
    assert.equal(((await shop.data(path))['remittanceByDate'] as Day).total, 12_990);
  });

  test('a day begins and ends in Chilean time', async () => {
    await using shop = await open(openTestDatabase);
    // 02:59 UTC is still the evening before in Chile.
    shop.app.now.advance(15 * 3_600_000 - 60_000);
    await createPaidTransaction(shop.app, shop.environment);
    const count = async (day: string) =>
      ((await shop.data(`/remittances/conciliation?date=${day}&environment=development`))['items'] as []).length;
    assert.deepEqual([await count('2026-01-15'), await count('2026-01-16')], [1, 0]);
  });

  test('test payments are not counted as earnings, and currencies are never added together', async () => {
    await using shop = await open(openTestDatabase);
    await createPaidTransaction(shop.app, shop.environment, { amount: 1055, currency: 'USD' });
    const total = async (query: string) =>
      (await shop.data(`/remittances/conciliation?date=2026-01-15${query}`))['totalTransactions'];
    assert.equal(await total(''), 0);
    assert.equal(await total('&currency=USD'), 10.55);
    assert.equal(await total('&environment=production&currency=USD'), 0);
    assert.equal(await total('&environment=development&currency=USD'), 10.55);
  });

  test('money without an order is not remitted', async () => {
    await using shop = await open(openTestDatabase);
    await createLatePayment(shop.app, shop.environment);
    const data = await shop.data('/remittances/conciliation?date=2026-01-15&environment=development');
    assert.equal(data['totalRemittances'], 0);
    const indicators = await shop.data('/indicators/remittances?availableBalance=true&environment=development');
    assert.equal(indicators['availableBalance'], 0);
  });

  test('the fee is the cost of a payment, and money already paid out is no longer owed', async () => {
    await using shop = await open(openTestDatabase);
    await setTestFee(shop.app, shop.environment);
    await createPaidTransaction(shop.app, shop.environment, { amount: 10_000 });
    await payOut(shop.app, shop.environment, 8000, { reference: 'TEF-1' });
    const day = await shop.data('/remittances/conciliation?date=2026-01-15&environment=development');
    const [item] = day['items'] as { amount: number; cost: number; total: number }[];
    assert.deepEqual([item?.amount, item?.cost, item?.total], [10_000, 1050, 8950]);
    assert.deepEqual([day['totalTransactions'], day['totalRemittances']], [10_000, 8950]);
    const [payout, ...others] = day['payouts'] as Record<string, unknown>[];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [payout?.['reference'], payout?.['total'], payout?.['entry']],
      ['TEF-1', 8000, `${shop.environment.id}/2.0`],
    );
    const path = '/indicators/remittances?environment=development&availableBalance=true&futureRemittances=true';
    assert.deepEqual(await shop.data(path), {
      availableBalance: 950,
      futureRemittances: { total: 950, remittances: [{ status: 'processing', total: 950 }] },
    });
  });

  test('only the requested indicators are answered', async () => {
    await using shop = await open(openTestDatabase);
    const { paid } = await twoDays(shop.app, shop.environment);
    await createPaidTransaction(shop.app, shop.environment, { amount: 20_000 });
    await acceptedRefund(shop.app, paid, 1000);
    const base = '/indicators/remittances?environment=development';
    // 12,990 and 20,000 paid, 2,990 refunded, 1,000 in a refund in process.
    assert.deepEqual(await shop.data(`${base}&availableBalance=true`), { availableBalance: 29_000 });
    assert.deepEqual(await shop.data(`${base}&futureRemittances=true&availableBalance=false`), {
      futureRemittances: { total: 29_000, remittances: [{ status: 'processing', total: 29_000 }] },
    });
    const byDate = (await shop.data(`${base}&remittanceByDate=2026-01-15`))['remittanceByDate'] as Day;
    assert.deepEqual([byDate.total, byDate.trxs.map(({ idTrx }) => idTrx)], [12_990, [paid.id]]);
    const today = (await shop.data(`${base}&remittanceByDate=true`))['remittanceByDate'] as Day;
    assert.equal(today.total, 20_000 - 2990);
    assert.deepEqual(await shop.data(`${base}&availableBalance=true&idTrx=${paid.id}`), { availableBalance: 9000 });
    const named = '/indicators/remittances?environment=production&remittanceByDate=2026-01-15&availableBalance=true';
    const ofOne = await shop.data(`${named}&idTrx=${paid.id}`);
    const { total, trxs } = ofOne['remittanceByDate'] as Day;
    assert.deepEqual([ofOne['availableBalance'], total, trxs.map(({ idTrx }) => idTrx)], [9000, 12_990, [paid.id]]);
  });

  const refused: [path: string, status: number, code: string][] = [
    ['/remittances/conciliation', 400, 'INVALID_PARAMETER'],
    ['/remittances/conciliation?date=15-01-2026', 400, 'INVALID_PARAMETER'],
    ['/remittances/conciliation?date=2026-02-30', 400, 'INVALID_PARAMETER'],
    ['/remittances/conciliation?date=2026-01-15&environment=both', 400, 'INVALID_PARAMETER'],
    ['/remittances/conciliation?date=2026-01-15&currency=XXX', 400, 'INVALID_CURRENCY'],
    ['/remittances/conciliation?date=2026-01-15&email=other@example.cl', 403, 'NO_PERMISSION'],
    ['/indicators/remittances', 400, 'INVALID_PARAMETER'],
    ['/indicators/remittances?availableBalance=false', 400, 'INVALID_PARAMETER'],
    ['/indicators/remittances?remittanceByDate=tomorrow', 400, 'INVALID_PARAMETER'],
    ['/indicators/remittances?availableBalance=true&idUser=usr_1', 403, 'NO_PERMISSION'],
    ['/indicators/remittances?availableBalance=true&idTrx=999999', 403, 'NO_PERMISSION'],
  ];
  test('a request that cannot be answered is refused with its reason', async () => {
    await using shop = await open(openTestDatabase);
    for (const [path, status, code] of refused) {
      const answer = await shop.get(path);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [status, code], path);
    }
  });

  test('a user sees only their own payment services, and an operator can filter by user', async () => {
    await using shop = await open(openTestDatabase);
    await createPaidTransaction(shop.app, shop.environment, { amount: 7000 });
    await createPaidTransaction(shop.app, await createTestEnvironment(shop.app), { amount: 9000 });
    const operator = await createTestUser(shop.app);
    const total = async (user: TestUser, query: string) => {
      const path = `/remittances/conciliation?date=2026-01-15&environment=development${query}`;
      return (jsonOf(await shop.get(path, user))['data'] as Record<string, unknown>)['totalTransactions'];
    };
    assert.equal(await total(shop.user, `&email=${shop.user.email.toUpperCase()}`), 7000);
    const asked = await shop.get(`/remittances/conciliation?date=2026-01-15&email=${operator.email}`);
    assert.equal(jsonOf(asked)['code'], 'NO_PERMISSION', 'the report of another user is not shown');
    assert.equal(await total(operator, ''), 16_000);
    assert.equal(await total(operator, `&email=${shop.user.email}`), 7000);
    const path = `/indicators/remittances?environment=development&availableBalance=1&idUser=${shop.user.id}`;
    assert.deepEqual(jsonOf(await shop.get(path, operator))['data'], { availableBalance: 7000 });
  });
});

type Day = { total: number; trxs: { idTrx: number }[] };

type Shop = AsyncDisposable & {
  app: TestApp;
  environment: ServiceEnvironment;
  user: TestUser;
  get(path: string, user?: TestUser): Promise<Answer>;
  data(path: string): Promise<Record<string, unknown>>;
};

async function open(openTestDatabase: OpenTestDatabase): Promise<Shop> {
  const app = createTestApp(await openTestDatabase());
  const environment = await createTestEnvironment(app);
  const user = await createTestUser(app, { paymentServices: [environment.paymentServiceId] });
  const server = await startTestServer(app);
  return {
    app,
    environment,
    user,
    get: (path, asking = user) => server.get(path, asking.headers),
    data: async (path) => {
      const answer = await server.get(path, user.headers);
      assert.equal(answer.status, 200, answer.text);
      return jsonOf(answer)['data'] as Record<string, unknown>;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A payment on the 15th, and a refund of 2,990 on the 16th. */
async function twoDays(app: TestApp, environment: ServiceEnvironment) {
  const paid: Transaction = await createPaidTransaction(app, environment, {
    unsignedFields: '{"x_document":{"id":77,"type":"boleta"}}',
  });
  app.now.advance(NEARLY_A_DAY);
  const refund = await acceptedRefund(app, paid, 2990);
  await carryOutRefunds(app, 10);
  return { paid, refund };
}
