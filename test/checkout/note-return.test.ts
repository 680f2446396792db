import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { App } from '../../src/app.ts';
import { findPayment } from '../../src/checkout/find-payment.ts';
import { noteReturn } from '../../src/checkout/note-return.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { StorageError } from '../../src/db/database.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { measureGivenUp } from '../../src/outbox/endpoints/given-up-callback-queries.ts';
import { resendCallback } from '../../src/outbox/resend-callback.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

const MINUTE = 60_000;

forEachEngine('a shop that accepts an order once and answers 400 after that', (openTestDatabase) => {
  test('supersedes its callback without an alarm when the payer’s browser brought the order first', async () => {
    const order = await openOrder(openTestDatabase, { callbacksDown: false });
    const { app, transaction, lines } = order;
    await startPayment(app, transaction, 'simulated');
    await bringBack(order);
    for (let attempt = 1; attempt <= 3; attempt++) {
      assert.equal(await stateOf(app), 'queued');
      await deliverOnce(app);
    }
    assert.equal(await stateOf(app), 'superseded');
    assert.equal((await measureGivenUp(app.db, 0)).count, 0);
    const alarms = lines.filter((line) => line['alarm'] !== undefined);
    assert.deepEqual(alarms, []);
    assert.equal(lines.at(-1)?.['step'], 'superseded');
    const [endpoint] = await app.db.query('select failing_since from endpoints');
    assert.equal(endpoint?.['failing_since'], null);
    await deliverOnce(app);
    assert.equal((await app.db.query('select id from delivery_attempts')).length, 3);
  });

  test('has its callback given up, with an alarm, when only link previews fetched the result', async () => {
    const order = await openOrder(openTestDatabase, { callbacksDown: false });
    const { app, transaction, shop } = order;
    shop.taken = true;
    await startPayment(app, transaction, 'simulated');
    await using server = await startTestServer(app);
    const path = `/pay/${payToken(transaction)}`;
    for (const agent of ['WhatsApp/2.23.20.0', 'Slackbot-LinkExpanding 1.0', 'facebookexternalhit/1.1 Facebot'])
      assert.equal((await server.get(path, { 'user-agent': agent })).status, 200);
    assert.equal((await server.get(path, { 'sec-purpose': 'prefetch;prerender' })).status, 200);
    assert.equal((await server.send('HEAD', path)).status, 200);
    assert.equal((await returnedAt(app)).length, 0);
    for (let attempt = 1; attempt <= 3; attempt++) await deliverOnce(app);
    assert.equal(await stateOf(app), 'dead');
    const phone = await server.get(path, { 'user-agent': 'Mozilla/5.0 (Linux; Android 10; CUBOT_X30) Chrome/120' });
    assert.match(phone.text, /data-submit-after/);
    assert.equal((await returnedAt(app)).length, 1);
  });

  test('still has to take the callback of another order, whose payer has not come back', async () => {
    const order = await openOrder(openTestDatabase, { callbacksDown: true });
    const { app, environment, transaction } = order;
    const other = await createTestTransaction(app, environment, { reference: 'OTHER' });
    for (const one of [transaction, other]) await startPayment(app, one, 'simulated');
    await bringBack(order);
    assert.deepEqual(
      (await returnedAt(app)).map((row) => row['transaction_id']),
      [transaction.id],
    );
  });

  test('has its callback delivered when that came before the browser', async () => {
    const order = await openOrder(openTestDatabase, { callbacksDown: false });
    const { app, transaction } = order;
    await startPayment(app, transaction, 'simulated');
    await deliverOnce(app);
    await bringBack(order);
    assert.equal(await stateOf(app), 'delivered');
    assert.equal((await returnedAt(app)).length, 0);
  });

  test('supersedes its callback when the browser came between two attempts', async () => {
    const order = await openOrder(openTestDatabase, { callbacksDown: true });
    const { app, transaction, shop } = order;
    await startPayment(app, transaction, 'simulated');
    await deliverOnce(app);
    await deliverOnce(app);
    shop.down = false;
    await bringBack(order);
    await deliverOnce(app);
    assert.equal(await stateOf(app), 'superseded');
  });

  test('has its callback given up when it refused it three times before the browser came, until it is resent', async () => {
    const order = await openOrder(openTestDatabase, { callbacksDown: false });
    const { app, transaction, shop } = order;
    shop.taken = true;
    await startPayment(app, transaction, 'simulated');
    for (let attempt = 1; attempt <= 3; attempt++) await deliverOnce(app);
    await bringBack(order);
    assert.equal(await stateOf(app), 'dead');
    assert.equal((await measureGivenUp(app.db, 0)).count, 1);
    const [callback] = await app.db.query<{ id: number }>('select id from callbacks');
    await resendCallback(app, callback?.id as number, TESTER);
    for (let attempt = 1; attempt <= 3; attempt++) await deliverOnce(app);
    assert.equal(await stateOf(app), 'superseded');
  });

  test('does not keep the payer from the result page when the store is full', async () => {
    const { app, transaction } = await openOrder(openTestDatabase, { callbacksDown: false });
    await startPayment(app, transaction, 'simulated');
    const payment = await findPayment(app, payToken(transaction));
    assert.ok(payment !== null);
    const full = async () => {
      throw new StorageError('STORAGE_FULL', null);
    };
    await noteReturn({ ...app, db: { ...app.db, transaction: full } }, payment);
    assert.equal((await returnedAt(app)).length, 0);
  });
});

async function openOrder(openTestDatabase: OpenTestDatabase, { callbacksDown }: { callbacksDown: boolean }) {
  const lines: Record<string, unknown>[] = [];
  const shop = { down: callbacksDown, taken: false };
  const fetch = async (): Promise<FetchOutcome> => {
    const status = shop.down ? 500 : shop.taken ? 400 : 200;
    if (status === 200) shop.taken = true;
    return { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
  };
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const app = createTestApp(await openTestDatabase(), { fetch, log });
  const environment = await createTestEnvironment(app);
  const transaction = await createTestTransaction(app, environment);
  return { app, environment, transaction, lines, shop };
}

type Order = Awaited<ReturnType<typeof openOrder>>;

/** Shows the payer the page that sends the browser to the shop. */
async function bringBack({ app, transaction, shop }: Order): Promise<void> {
  await using server = await startTestServer(app);
  const page = await server.get(`/pay/${payToken(transaction)}`);
  assert.match(page.text, /data-submit-after/);
  shop.taken = true;
}

async function deliverOnce(app: TestApp): Promise<void> {
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
  app.now.advance(10 * MINUTE);
}

async function stateOf(app: App): Promise<unknown> {
  return (await app.db.query('select state from callbacks'))[0]?.['state'];
}

function returnedAt(app: App) {
  return app.db.query('select transaction_id, returned_at from callbacks where returned_at is not null');
}
