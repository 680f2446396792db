import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { startPayment } from '../../../src/checkout/start-payment.ts';
import { disablePaymentService } from '../../../src/payment-services/disable-payment-service.ts';
import type { Transaction } from '../../../src/transactions/transaction.ts';
import { selectTransactionAnywhere } from '../../../src/transactions/transaction-queries.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestEnvironment } from '../../support/test-shop.ts';
import { createTestUser } from '../../support/test-user.ts';

const MAY = ['payments:create', 'payments:read'] as const;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const REFUSED = 'Servicio Inexistente, Deshabilitado, o Sin Acceso por el usuario.';

forEachEngine('creating a transaction with an access token', (openTestDatabase) => {
  test('accepts the form and the JSON of published clients, and answers the id and one pay link', async () => {
    await using shop = await open(openTestDatabase);
    const account = String(shop.environment.id);
    const form = await shop.create({ x_account_id: account, x_reference: 'FORM' });
    const json = await shop.server.post('/trxs/create', {
      headers: shop.user.headers,
      json: { ...shop.fields, x_account_id: shop.environment.id, x_amount: 12990, x_reference: 1774000000 },
    });
    for (const answer of [form, json]) {
      assert.equal(answer.status, 200, answer.text);
      const { idTrx, payUrl, ...others } = jsonOf(answer);
      assert.deepEqual(others, {});
      assert.ok(Number.isInteger(idTrx));
      assert.match(payUrl as string, /\/pay\/[0-9a-z]+-[0-9a-z]+-[\w-]{22}$/, 'the pay link ends with 128 random bits');
    }
    const stored = (await selectTransactionAnywhere(shop.app.db, jsonOf(form)['idTrx'] as number)) as Transaction;
    assert.deepEqual([stored.amount, stored.currency, stored.shop_country], [12_990, 'CLP', 'CL']);
    assert.equal((await shop.create({ x_account_id: shop.environment.serviceToken })).status, 200);
  });

  test('refuses a used reference with the message of the old service, and gives a repeat the original link', async () => {
    await using shop = await open(openTestDatabase);
    const account = String(shop.environment.id);
    const first = jsonOf(await shop.create({ x_account_id: account }));
    const again = await shop.create({ x_account_id: account });
    const expected = { idTrx: first['idTrx'], x_account_id: account, x_reference: 'ORD-1', error: 'TRX Ya existe.' };
    assert.equal(again.status, 400);
    assert.deepEqual(pick(again, [...Object.keys(expected), 'payUrl']), { ...expected, payUrl: first['payUrl'] });
    const other = await shop.create({ x_account_id: account, x_amount: '500' });
    assert.equal(other.status, 400);
    for (const refused of [again, other])
      assert.deepEqual(pick(refused, ['code', 'title']), {
        code: 'REFERENCE_CONFLICT',
        title: 'The reference was used before',
      });
    assert.deepEqual(pick(other, [...Object.keys(expected), 'payUrl']), { ...expected, payUrl: undefined });
    assert.equal((await shop.app.db.query('select id from transactions')).length, 1);
  });

  test('refuses a disabled, an unknown and another merchant’s payment service alike', async () => {
    await using shop = await open(openTestDatabase);
    const stranger = await createTestEnvironment(shop.app);
    const disabled = await createTestEnvironment(shop.app);
    await disablePaymentService(shop.app, disabled.paymentServiceId, TESTER);
    shop.app.now.advance(1001);
    const operator = await createTestUser(shop.app, { may: MAY });
    const accounts = [
      stranger.id,
      stranger.serviceToken,
      999_999,
      'none',
      '0',
      '1e0',
      `${shop.environment.id}.0`,
      '9'.repeat(400),
    ];
    for (const account of accounts) {
      const answer = await shop.create({ x_account_id: String(account) });
      assert.deepEqual([answer.status, jsonOf(answer)['error']], [403, REFUSED], String(account));
    }
    const all = await shop.create({ x_account_id: String(disabled.id) }, operator.headers);
    assert.deepEqual([all.status, jsonOf(all)['error']], [403, REFUSED]);
    assert.equal((await shop.create({ x_account_id: String(stranger.id) }, operator.headers)).status, 200);
    const own = { x_account_id: String(shop.environment.id) };
    assert.equal((await shop.create(own, {})).status, 401);
    const reader = await createTestUser(shop.app);
    const unable = await shop.create(own, reader.headers);
    assert.deepEqual([unable.status, jsonOf(unable)['data']], [403, { permission: 'payments:create' }]);
    assert.match(unable.text, /Ask a person who manages users: `bin\/rubrica user grant USER payments:create`/);
    assert.equal((await shop.app.db.query('select id from transactions')).length, 1);
  });

  test('applies the rules of signed requests, because the callback signs these values', async () => {
    await using shop = await open(openTestDatabase);
    const x_account_id = String(shop.environment.id);
    for (const [change, code] of [
      [{ x_amount: '499' }, 'INVALID_AMOUNT'],
      [{ x_reference: '42x_resultcompleted' }, 'AMBIGUOUS_FIELD'],
      [{ x_url_callback: 'https://user@shop.example.cl/' }, 'INVALID_URL'],
      [{ x_currency: 'XXX' }, 'INVALID_CURRENCY'],
      [{ x_signature: '00' }, 'UNKNOWN_FIELD'],
      [{ amount: '1' }, 'UNKNOWN_FIELD'],
      [{ x_customer_email: '' }, 'EMPTY_FIELD'],
    ] as [Record<string, string>, string][]) {
      const answer = await shop.create({ x_account_id, ...change });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, code], JSON.stringify(change));
    }
    assert.deepEqual(await shop.app.db.query('select id from transactions'), []);
  });

  test('shows the status in the words of a callback, and nothing of another merchant’s transaction', async () => {
    await using shop = await open(openTestDatabase);
    const created = jsonOf(await shop.create({ x_account_id: String(shop.environment.id), x_amount: '20000' }));
    const idTrx = created['idTrx'] as number;
    const read = () => shop.server.get(`/trxs/status/${idTrx}`, shop.user.headers);
    const time = '2026-01-15T12:00:00.000Z';
    const pending = { idTrx, idService: shop.environment.id, amount: '20000.00', status: 'pending' };
    assert.deepEqual(jsonOf(await read()), { ...pending, source: null, createdAt: time, updatedAt: time });
    await startPayment(shop.app, (await selectTransactionAnywhere(shop.app.db, idTrx)) as Transaction, 'simulated');
    assert.deepEqual(pick(await read(), ['status', 'source']), { status: 'completed', source: 'simulated' });
    const stranger = await createTestUser(shop.app, {
      paymentServices: [(await createTestEnvironment(shop.app)).paymentServiceId],
    });
    for (const [path, headers] of [
      [`/trxs/status/${idTrx}`, stranger.headers],
      ['/trxs/status/999999', shop.user.headers],
      ['/trxs/status/x', shop.user.headers],
    ] as const) {
      const answer = await shop.server.get(path, headers);
      assert.deepEqual([answer.status, jsonOf(answer)['error']], [403, 'TRX inexistente o no tienes permisos.'], path);
    }
  });

  test('the status of a transaction answers in the former words when the store fails', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
    await using shop = await open(openTestDatabase, { log });
    const { idTrx } = jsonOf(await shop.create({ x_account_id: String(shop.environment.id) }));
    const read = () => shop.server.get(`/trxs/status/${String(idTrx)}`, shop.user.headers);
    assert.equal((await read()).status, 200);
    await shop.app.db.close();
    const answer = await read();
    assert.deepEqual([answer.status, jsonOf(answer)['error']], [500, 'Error Obteniendo TRX'], answer.text);
    const logged = lines.filter(({ request }) => request === jsonOf(answer)['request_id']);
    assert.deepEqual(
      logged.map(({ status, code }) => [status, code]),
      [[500, jsonOf(answer)['code']]],
      'the log has the status that the client got',
    );
  });
});

function pick(answer: Answer, names: readonly string[]): Record<string, unknown> {
  const json = jsonOf(answer);
  return Object.fromEntries(names.map((name) => [name, json[name]]));
}

async function open(openTestDatabase: OpenTestDatabase, parts: Parameters<typeof createTestApp>[1] = {}) {
  const app = createTestApp(await openTestDatabase(), parts);
  const environment = await createTestEnvironment(app);
  const user = await createTestUser(app, { paymentServices: [environment.paymentServiceId], may: MAY });
  const server = await startTestServer(app);
  const fields = {
    x_url_callback: 'https://shop.example.cl/callback',
    x_url_cancel: 'https://shop.example.cl/cancel',
    x_url_complete: 'https://shop.example.cl/complete',
    x_customer_email: 'buyer@example.cl',
    x_reference: 'ORD-1',
    x_amount: '12990',
  };
  const create = (changes: Record<string, string>, headers = user.headers as Record<string, string>) =>
    server.post('/trxs/create', {
      headers: { ...FORM, ...headers },
      body: new URLSearchParams({ ...fields, ...changes }).toString(),
    });
  return { app, environment, user, server, fields, create, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
