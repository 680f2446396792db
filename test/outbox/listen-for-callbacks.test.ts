import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookKey, webhookMatches } from '../../protocol/webhook-signature.ts';
import { readConfig } from '../../src/config.ts';
import type { Tx } from '../../src/db/database.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { LISTENER_MS } from '../../src/outbox/listeners/callback-listener.ts';
import {
  beginListening,
  endListening,
  reportAttempt,
  takeNext,
} from '../../src/outbox/listeners/listen-for-callbacks.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const OK: FetchOutcome = { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 5 };
const REFUSED: FetchOutcome = { kind: 'failed', reason: 'connect', detail: 'ECONNREFUSED', durationMs: 5 };

forEachEngine('a listener for the callbacks of development', (openTestDatabase) => {
  test('gets callbacks in order as they would be sent, and the service does not send them itself', async () => {
    await using world = await open(openTestDatabase);
    const listener = await world.begin();
    for (const reference of ['ORD-1', 'ORD-2', 'ORD-3']) {
      await createPaidTransaction(world.app, world.environment, { reference });
      world.app.now.advance(10);
    }
    assert.deepEqual(await world.deliver(), [], 'the service does not send the callbacks of the listener');
    for (const reference of ['ORD-1', 'ORD-2', 'ORD-3']) {
      const post = await world.next(listener);
      assert.ok(post !== null);
      assert.equal(new URLSearchParams(post.body).get('x_reference'), reference);
      const { headers } = post;
      const [id = '', timestamp = '', signature = ''] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
        (name) => headers[name],
      );
      const keys = world.environment.secrets.map(({ text }) => webhookKey(text));
      assert.ok(webhookMatches({ id, timestamp, signature }, Buffer.from(post.body), keys));
      const { step } = await reportAttempt(world.app, listener, { ...claimOf(post), outcome: OK, retry: true });
      assert.equal(step.kind, 'delivered');
    }
    assert.equal(await world.next(listener), null);
    const rows = await world.app.db.query('select state, attempts from callbacks order by id');
    assert.deepEqual(
      rows.map(({ state, attempts }) => `${String(state)} ${String(attempts)}`),
      ['delivered 1', 'delivered 1', 'delivered 1'],
    );
    assert.equal((await world.app.db.query('select id from delivery_attempts where status = 200')).length, 3);
    assert.equal(
      (await world.app.db.query("select link from audit_log where action = 'callback.listener_begun'")).length,
      1,
    );
  });

  test('lets a failed callback follow its schedule, or gives it up without retries; it can then be replayed', async () => {
    await using world = await open(openTestDatabase);
    const listener = await world.begin();
    await createPaidTransaction(world.app, world.environment);
    const first = await world.take(listener);
    const failed = await reportAttempt(world.app, listener, { ...claimOf(first), outcome: REFUSED, retry: true });
    assert.equal(failed.step.kind, 'retry');
    assert.equal(await world.next(listener), null);
    world.app.now.advance(6000);
    const second = await world.take(listener);
    assert.deepEqual([second.id, second.attempt, second.body], [first.id, 2, first.body]);
    const last = await reportAttempt(world.app, listener, { ...claimOf(second), outcome: REFUSED, retry: false });
    assert.equal(last.step.kind, 'dead');
    const again = await world.begin(first.id);
    const replayed = await world.take(again);
    assert.equal(replayed.attempt, 1);
    const report = { ...claimOf(replayed), outcome: OK, retry: true };
    await assert.rejects(reportAttempt(losingLease(world.app), again, report), { code: 'LISTENER_ENDED' });
    assert.equal((await world.app.db.query('select id from delivery_attempts')).length, 2, 'nothing was recorded');
    await assert.rejects(world.begin(first.id + 1), { code: 'NOT_FOUND' });
  });

  test('replays a callback that the service or a replaced listener is sending', async () => {
    await using world = await open(openTestDatabase);
    await createPaidTransaction(world.app, world.environment, { reference: 'ORD-1' });
    const gate = Promise.withResolvers<void>();
    const fetch: TestApp['fetch'] = async (request) => {
      await gate.promise;
      return world.app.fetch(request);
    };
    const delivery = createCallbackDelivery({ ...world.app, fetch });
    assert.equal(await delivery.poll(), 1);
    const [under_way] = await world.app.db.query<{ id: number }>('select id from callbacks where lease is not null');
    const first = await world.begin(under_way?.id);
    const post = await world.take(first);
    assert.deepEqual([post.id, post.attempt], [under_way?.id, 1]);
    gate.resolve();
    await delivery.drain();
    const second = await world.begin(post.id);
    const again = await world.take(second);
    assert.deepEqual([again.id, again.attempt], [post.id, 1]);
    const { step } = await reportAttempt(world.app, second, { ...claimOf(again), outcome: OK, retry: true });
    assert.equal(step.kind, 'delivered');
  });

  test('returns its callbacks when it ends, falls silent or is replaced', async () => {
    await using world = await open(openTestDatabase);
    const first = await world.begin();
    const second = await world.begin();
    await assert.rejects(world.next(first), { code: 'LISTENER_ENDED' });
    await endListening(world.app, first);
    await createPaidTransaction(world.app, world.environment, { reference: 'ORD-1' });
    const post = await world.take(second);
    await assert.rejects(
      reportAttempt(world.app, first, { ...claimOf(post), outcome: OK, retry: true }),
      { code: 'LISTENER_ENDED' },
      'a replaced listener cannot report',
    );
    await endListening(world.app, second);
    world.app.now.advance(61_000);
    assert.deepEqual(await world.deliver(), ['ORD-1'], 'an unreported callback is sent again');
    await world.begin();
    await createPaidTransaction(world.app, world.environment, { reference: 'ORD-2' });
    assert.deepEqual(await world.deliver(), []);
    world.app.now.advance(LISTENER_MS + 1);
    assert.deepEqual(await world.deliver(), ['ORD-2']);
  });

  test('takes no callback of another shop', async () => {
    await using world = await open(openTestDatabase);
    await world.begin();
    const other = await createTestEnvironment(world.app);
    await createPaidTransaction(world.app, other, { reference: 'OTHER' });
    assert.deepEqual(await world.deliver(), ['OTHER']);
  });

  test('waits with its newest request only, however many there are, and an earlier one takes nothing', async () => {
    await using world = await open(openTestDatabase);
    const listener = await world.begin();
    const ended: number[] = [];
    const wait = async (number: number) => {
      const post = await takeNext(world.app, listener, 10_000, () => false);
      ended.push(number);
      return post;
    };
    const polls = [1, 2, 3].map(wait);
    await comesTrue(() => ended.length === 2, 3_000);
    await createPaidTransaction(world.app, world.environment, { reference: 'ORD-1' });
    const posts = await Promise.all(polls);
    assert.deepEqual(
      posts.map((post) => (post === null ? null : new URLSearchParams(post.body).get('x_reference'))),
      [null, null, 'ORD-1'],
    );
  });

  test('is available over HTTP to users with the permission, for their own payment services', async () => {
    await using world = await open(openTestDatabase);
    const { app, server, environment } = world;
    const payment_service = environment.paymentServiceId;
    const developer = await createTestUser(app, { role: 'developer', paymentServices: [payment_service] });
    const support = await createTestUser(app, { role: 'support', paymentServices: [payment_service] });
    const stranger = await createTestUser(app, { role: 'developer', paymentServices: [] });
    const ask = (path: string, { headers }: typeof developer, json?: object) =>
      server.post(path, { headers, ...(json !== undefined && { json }) });
    assert.equal((await ask('/listeners', support, { payment_service })).status, 403);
    assert.equal((await ask('/listeners', stranger, { payment_service })).status, 404);
    assert.equal((await ask('/listeners', developer, { payment_service, replay: 99 })).status, 404);
    assert.equal((await ask('/listeners', developer, { payment_service, environment: 'production' })).status, 422);
    const begun = await ask('/listeners', developer, {});
    assert.equal(begun.status, 200, begun.text);
    const path = `/listeners/${(jsonOf(begun)['data'] as { listener: string }).listener}`;
    await createPaidTransaction(app, environment);
    assert.equal((await ask(`${path}/next`, stranger)).status, 404);
    assert.equal((await ask('/listeners/1-x/next', developer)).status, 409);
    const taken = await ask(`${path}/next`, developer);
    const { callback } = jsonOf(taken)['data'] as { callback: { id: number; lease: string; headers: object[] } };
    assert.equal(callback.headers.length, 6);
    const report = { callback: callback.id, lease: callback.lease, duration_ms: 7 };
    for (const [bad, status] of [
      [report, 422],
      [{ ...report, status: 99 }, 422],
      [{ ...report, failure: 'mood' }, 422],
      [{ ...report, status: 200, lease: 'x' }, 409],
    ] as [object, number][])
      assert.equal((await ask(`${path}/attempts`, developer, bad)).status, status, JSON.stringify(bad));
    const failed = await ask(`${path}/attempts`, developer, { ...report, failure: 'connect', detail: 'ECONNREFUSED' });
    assert.equal((jsonOf(failed)['data'] as { step: string }).step, 'retry');
    assert.equal((await server.send('DELETE', path, { headers: developer.headers })).status, 200);
    assert.equal((await ask(`${path}/next`, developer)).status, 409);
  });
});

function claimOf({ id, lease }: { id: number; lease: string }) {
  return { callbackId: id, lease };
}

/** Returns the app whose lease passes to another process right after it was read. */
function losingLease(app: TestApp): TestApp {
  const losing = (tx: Tx): Tx => ({
    ...tx,
    query: async (sql, parameters) => {
      const rows = await tx.query(sql, parameters);
      if (sql.startsWith('update callback_listeners')) await tx.query("update callbacks set lease = 'another'");
      return rows as never;
    },
  });
  const db = { ...app.db, transaction: (inner: (tx: Tx) => never) => app.db.transaction((tx) => inner(losing(tx))) };
  return { ...app, db } as TestApp;
}

async function open(openTestDatabase: OpenTestDatabase) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent' });
  const app = createTestApp(await openTestDatabase(), { config });
  const environment = await createTestEnvironment(app);
  const server = await startTestServer(app);
  const begin = (replay: number | null = null) =>
    beginListening(
      app,
      { environmentId: environment.id, paymentServiceId: environment.paymentServiceId, replay },
      TESTER,
    );
  type Listener = Awaited<ReturnType<typeof begin>>;
  const next = (listener: Listener) => takeNext(app, listener, 0, () => false);
  return {
    app,
    environment,
    server,
    begin,
    next,
    take: async (listener: Listener) => {
      const post = await next(listener);
      assert.ok(post !== null, 'a callback is due');
      return post;
    },
    /** Lets the service deliver due callbacks. Returns their references. */
    deliver: async () => {
      app.sent.length = 0;
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
      return app.sent.map(({ body }) => new URLSearchParams(String(body)).get('x_reference'));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
