import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentLink } from '../../../src/payment-links/create-payment-link.ts';
import type { PaymentMethod } from '../../../src/payment-methods/payment-method.ts';
import { simulatedMethod } from '../../../src/payment-methods/simulated-method.ts';
import { createPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { leaveFor } from '../../support/moving-shop.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestEnvironment } from '../../support/test-shop.ts';
import { createTestUser } from '../../support/test-user.ts';

type Link = { id: string; url: string; state: string; payments: number; amount: string };

const WISH = { amount: 12_990, subject: 'Inscripción 2026' };

forEachEngine('payment links created by programs', (openTestDatabase) => {
  test('can be created, read, paid, listed and ended', async () => {
    await using desk = await openDesk(openTestDatabase);
    const made = dataOf(await desk.make({ ...WISH, expires_at: '2026-01-31T00:00:00-03:00' }));
    assert.deepEqual(made, {
      id: made.id,
      url: `http://127.0.0.1:8080/link/${made.id}`,
      qr: `http://127.0.0.1:8080/link/${made.id}/qr.svg`,
      poster: `http://127.0.0.1:8080/link/${made.id}/poster`,
      payment_service: desk.environment.paymentServiceId,
      environment: 'development',
      amount: '12990.00',
      currency: 'CLP',
      subject: 'Inscripción 2026',
      uses: 'one',
      state: 'open',
      payments: 0,
      callback_url: null,
      created_at: '2026-01-15T12:00:00.000Z',
      expires_at: '2026-01-31T03:00:00.000Z',
      ended_at: null,
    });
    const pay = await desk.server.post(`/link/${made.id}`);
    const path = URL.parse(pay.headers.get('location') ?? '')?.pathname ?? '';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await desk.server.post(path, { headers, body: 'method=simulated' });
    const paid = dataOf(await desk.read(made.id));
    assert.deepEqual([paid.state, paid.payments], ['used', 1]);

    const second = dataOf(await desk.make({ ...WISH, amount: made.amount, uses: 'many' }));
    for (const attempt of ['ended', 'ended again']) {
      const ended = dataOf(await desk.end(second.id));
      assert.deepEqual([ended.id, ended.state], [second.id, 'ended'], attempt);
    }
    assert.equal((await desk.server.get(`/link/${second.id}`)).status, 410);
    assert.deepEqual(new Set(await desk.list()), new Set([made.id, second.id]));
  });

  test('of a payment service that has moved are refused with 421 PAYMENT_SERVICE_MOVED', async () => {
    await using desk = await openDesk(openTestDatabase);
    const { id } = dataOf(await desk.make(WISH));
    await leaveFor(desk.app, desk.environment);
    desk.app.now.advance(2000);
    for (const answer of [await desk.make(WISH), await desk.end(id), await desk.read(id)]) {
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [421, 'PAYMENT_SERVICE_MOVED']);
    }
  });

  test('are created once per idempotency key, even concurrently; another body with that key is refused', async () => {
    await using desk = await openDesk(openTestDatabase);
    const key = { 'idempotency-key': 'factura-1042' };
    const answers = await Promise.all([1, 2, 3].map(() => desk.make(WISH, key)));
    const [first] = answers.map((answer) => dataOf(answer).id);
    assert.deepEqual(new Set(answers.map((answer) => dataOf(answer).id)), new Set([first]));
    assert.equal(answers.filter(({ headers }) => headers.get('idempotency-hit') === 'true').length, 2);
    for (const changed of [{ amount: 12_991 }, { callback_url: 'http://127.0.0.1:9/other' }]) {
      const other = await desk.make({ ...WISH, ...changed }, key);
      assert.deepEqual([other.status, jsonOf(other)['code']], [409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    assert.deepEqual(await desk.list(), [first]);
    assert.notEqual(
      dataOf(await desk.make(WISH)).id,
      dataOf(await desk.make(WISH)).id,
      'without a key each request creates a link',
    );
  });

  test('are returned again for a retry with the same key, even after they have expired', async () => {
    await using desk = await openDesk(openTestDatabase);
    const key = { 'idempotency-key': 'factura-1043' };
    const wish = { ...WISH, expires_at: new Date(desk.app.now() + 60_000).toISOString() };
    const first = await desk.make(wish, key);
    desk.app.now.advance(120_000);
    const again = await desk.make(wish, key);
    assert.deepEqual([again.status, again.headers.get('idempotency-hit')], [200, 'true']);
    assert.deepEqual(dataOf(again), { ...dataOf(first), state: 'expired' });
    const other = await desk.make(wish, { 'idempotency-key': 'factura-1044' });
    assert.deepEqual(
      [other.status, jsonOf(other)['code']],
      [422, 'INVALID_BODY'],
      'another key makes a new request, whose end is in the past',
    );
    assert.deepEqual(await desk.list(), [dataOf(first).id]);
  });

  test('are listed page by page, each once, the newest first', async () => {
    await using desk = await openDesk(openTestDatabase);
    const made: string[] = [];
    for (let number = 0; number < 5; number++) {
      made.unshift(dataOf(await desk.make(WISH)).id);
      // Links of one millisecond have no fixed order.
      desk.app.now.advance(1);
    }
    const seen: string[] = [];
    let after = '';
    do {
      const { links, next } = jsonOf(await desk.ask('GET', `?limit=2${after}`))['data'] as Page;
      seen.push(...links.map(({ id }) => id));
      after = next === null ? '' : `&after=${next}`;
    } while (after !== '');
    assert.deepEqual(seen, made);
    assert.equal(jsonOf(await desk.ask('GET', '?after=x'))['code'], 'INVALID_PARAMETER');
  });

  test('are invisible to other merchants, and creating or ending one needs the permission', async () => {
    await using desk = await openDesk(openTestDatabase);
    const other = await createPaymentService(desk.app, 'Ferreteria Sur', TESTER);
    const stranger = await createTestUser(desk.app, {
      may: ['payments:create', 'payments:read'],
      paymentServices: [other.id],
    });
    const reader = await createTestUser(desk.app, {
      may: ['payments:read'],
      paymentServices: [desk.environment.paymentServiceId],
    });
    const { id } = dataOf(await desk.make(WISH));
    for (const answer of [
      await desk.read(id, stranger.headers),
      await desk.end(id, stranger.headers),
      await desk.read('pl_00000000000000000000'),
    ]) {
      assert.equal(answer.status, 404);
      assert.match(answer.text, /There is no such payment link/);
    }
    const refused = await desk.make({ ...WISH, payment_service: desk.environment.paymentServiceId }, stranger.headers);
    assert.match(refused.text, /You see no such payment service/);
    assert.deepEqual(await desk.list(stranger.headers), []);
    assert.equal((await desk.end(id, reader.headers)).status, 403);
    assert.equal((await desk.make(WISH, reader.headers)).status, 403);
    assert.deepEqual(await desk.list(reader.headers), [id]);
  });

  test('must name their payment service when the user sees several', async () => {
    await using desk = await openDesk(openTestDatabase);
    const other = await createPaymentService(desk.app, 'Ferreteria Sur', TESTER);
    const all = await createTestUser(desk.app, { may: ['payments:create'] });
    const open = await desk.make(WISH, { ...all.headers, 'accept-language': 'es' });
    assert.equal(open.status, 422);
    assert.match(open.text, /Ves 2 servicios de pago, y se le paga a uno\. Nómbralo en payment_service\./);
    const named = { ...WISH, payment_service: other.id };
    const production = await desk.make({ ...named, environment: 'production' }, all.headers);
    // Nobody can collect in production there.
    assert.deepEqual([production.status, jsonOf(production)['code']], [503, 'NO_PAYMENT_METHOD']);
    const { id } = dataOf(await desk.make({ ...named, environment: 'development' }, all.headers));
    const [row] = await desk.app.db.query('select environment_id from payment_links where id = $1', [id]);
    assert.notEqual(row?.['environment_id'], desk.environment.id);
  });

  test('are refused with every error when they are invalid, and leave nothing behind', async () => {
    await using desk = await openDesk(openTestDatabase);
    for (const [changes, pointer] of [
      [{ amount: 0 }, '/amount'],
      [{ amount: 12.5 }, '/amount'],
      [{ amount: '12.990' }, '/amount'],
      [{ amount: true }, '/amount'],
      // POST /trxs refuses these too.
      [{ amount: 499 }, '/amount'],
      [{ amount: '2.0105', currency: 'CLF' }, '/amount'],
      [{ amount: 0.125, currency: 'KWD' }, '/amount'],
      [{ currency: 'XXX' }, '/currency'],
      [{ currency: 'clp' }, '/currency'],
      [{ subject: ' ' }, '/subject'],
      [{ subject: 'x'.repeat(81) }, '/subject'],
      [{ subject: 'Cuota \u202e005.1$' }, '/subject'],
      [{ subject: 'TC 4111 1111 1111 1111' }, '/subject'],
      [{ uses: 'two' }, '/uses'],
      [{ expires_at: '2026-01-14T12:00:00Z' }, '/expires_at'],
      [{ expires_at: 'mañana' }, '/expires_at'],
      [{ callback_url: 'ftp://shop.example.cl' }, '/callback_url'],
      [{ callback_url: 'https://shop.example.cl/paid?by=4111111111111111' }, '/callback_url'],
      [{ environment: 'test' }, '/environment'],
      // Production collects only pesos here, so nobody could pay such a link.
      [{ environment: 'production', currency: 'USD' }, '/currency'],
      [{ reference: 'ORD-1' }, '/reference'],
    ] as const) {
      const answer = await desk.make({ ...WISH, ...changes });
      const { errors } = jsonOf(answer) as { errors: { pointer: string; message: string; fix: string }[] };
      assert.deepEqual([answer.status, errors[0]?.pointer], [422, pointer], answer.text);
    }
    const both = await desk.make({ ...WISH, amount: -1, expires_at: 'x' });
    assert.deepEqual(
      (jsonOf(both) as { errors: { pointer: string }[] }).errors.map((error) => error.pointer),
      ['/amount', '/expires_at'],
    );
    assert.equal((await desk.make(WISH, { 'idempotency-key': 'x'.repeat(201) })).status, 400);
    assert.deepEqual(await desk.list(), []);
  });

  test('the API also reads and lists links that a person created', async () => {
    await using desk = await openDesk(openTestDatabase);
    const wish = {
      amount: 500,
      currency: 'USD',
      subject: 'Mug',
      uses: 'many',
      expiresAt: null,
      urlCallback: null,
    } as const;
    const { link } = await createPaymentLink(desk.app, desk.environment.id, wish, TESTER);
    assert.deepEqual([dataOf(await desk.read(link.id)).amount, await desk.list()], ['5.00', [link.id]]);
  });
});

type Page = { links: Link[]; next: string | null };

async function openDesk(openTestDatabase: OpenTestDatabase) {
  // Like Webpay: only pesos, and only with settings.
  const accepts: PaymentMethod['accepts'] = ({ currency, configured }) => configured && currency === 'CLP';
  const paymentMethods = [simulatedMethod, { ...simulatedMethod, code: 'pesos', accepts }];
  const app = createTestApp(await openTestDatabase(), { paymentMethods });
  const environment = await createTestEnvironment(app);
  const server = await startTestServer(app);
  const user = await createTestUser(app, {
    may: ['payments:create', 'payments:read'],
    paymentServices: [environment.paymentServiceId],
  });
  const ask = (method: string, path: string, headers: Record<string, string> = {}, json?: unknown) =>
    server.send(method, `/payment-links${path}`, { headers: { ...user.headers, ...headers }, json });
  return {
    app,
    environment,
    server,
    ask,
    make: (wish: object, headers = {}) => ask('POST', '', headers, wish),
    read: (id: string, headers = {}) => ask('GET', `/${id}`, headers),
    end: (id: string, headers = {}) => ask('POST', `/${id}/end`, headers),
    list: async (headers = {}) => (jsonOf(await ask('GET', '', headers))['data'] as Page).links.map(({ id }) => id),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function dataOf(answer: Answer): Link {
  assert.equal(answer.status, 200, answer.text);
  return jsonOf(answer)['data'] as Link;
}
