import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('answers of shops that are recorded in one batch', (openTestDatabase) => {
  test('are recorded even if one of their payment services has moved away meanwhile', async () => {
    let leaving: Promise<void> | null = null;
    const fetch: TestApp['fetch'] = async () => {
      await (leaving ??= leaveFor(app, moved));
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = createTestApp(await openTestDatabase(), { fetch });
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [moved, here, here]) await createPaidTransaction(app, environment);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    const rows = await app.db.query('select environment_id, state from callbacks order by id');
    assert.deepEqual(
      rows.map(({ environment_id, state }) => [environment_id, state]),
      [
        [moved.id, 'queued'],
        [here.id, 'delivered'],
        [here.id, 'delivered'],
      ],
    );
  });

  test('are recorded, and the rest released, when the process ends after a payment service has moved away', async () => {
    const gate = Promise.withResolvers<void>();
    const fetch: TestApp['fetch'] = async () => {
      await gate.promise;
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = createTestApp(await openTestDatabase(), { fetch });
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [moved, here])
      for (let order = 0; order < 5; order++) await createPaidTransaction(app, environment);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await leaveFor(app, moved);
    const drained = delivery.drain();
    gate.resolve();
    await drained;
    const rows = await app.db.query(
      'select state, count(*) as n, count(lease) as held from callbacks where environment_id = $1 group by state order by state',
      [here.id],
    );
    assert.deepEqual(
      rows.map(({ state, n, held }) => [state, n, held]),
      [
        ['delivered', 4, 0],
        ['queued', 1, 0],
      ],
    );
  });
});

forEachEngine('callbacks that a worker has held for too long', (openTestDatabase) => {
  test('are not started: their lease may soon pass to another worker', async () => {
    const gate = Promise.withResolvers<void>();
    let posts = 0;
    const fetch: TestApp['fetch'] = async () => {
      posts++;
      await gate.promise;
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = createTestApp(await openTestDatabase(), { fetch });
    const environment = await createTestEnvironment(app);
    for (let order = 0; order < 5; order++) await createPaidTransaction(app, environment);
    const delivery = createCallbackDelivery(app);
    assert.equal(await delivery.poll(), 5);
    app.now.advance(40_001);
    gate.resolve();
    await delivery.settled();
    assert.equal(posts, 4);
    app.now.advance(20_000);
    assert.equal(await delivery.poll(), 1);
    await delivery.drain();
    assert.equal(posts, 5);
  });
});

forEachEngine('the answer of a shop that repeats a card number', (openTestDatabase) => {
  test('is recorded without the number', async () => {
    const excerpt = 'Pagado con 4111 1111 1111 1111.';
    const fetch: TestApp['fetch'] = async () => {
      return { kind: 'answered', status: 200, retryAfter: null, excerpt, durationMs: 1 };
    };
    const app = createTestApp(await openTestDatabase(), { fetch });
    await createPaidTransaction(app, await createTestEnvironment(app));
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    const rows = await app.db.query('select excerpt from delivery_attempts');
    assert.deepEqual(
      rows.map((row) => row['excerpt']),
      ['Pagado con **** **** **** ****.'],
    );
  });
});

forEachEngine('a 410 during other requests to the same endpoint', (openTestDatabase) => {
  test('does not undo what the shop answered to them, at once or later', async () => {
    const gone = Promise.withResolvers<void>();
    const answers = [410, 200, 200, 500];
    const fetch: TestApp['fetch'] = async () => {
      const status = answers.shift() as number;
      if (answers.length < 2) await gone.promise;
      return { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = createTestApp(await openTestDatabase(), { fetch });
    const environment = await createTestEnvironment(app);
    for (let order = 0; order < 4; order++) await createPaidTransaction(app, environment);
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await comesTrue(
      async () => (await app.db.query('select 1 as gone from endpoints where disabled_at > 0')).length === 1,
    );
    gone.resolve();
    await delivery.drain();
    const rows = await app.db.query('select state, attempts from callbacks order by id');
    assert.deepEqual(
      rows.map(({ state, attempts }) => [state, attempts]),
      [
        ['disabled', 1],
        ['delivered', 1],
        ['delivered', 1],
        ['disabled', 0],
      ],
    );
  });
});

forEachEngine('events of payouts', (openTestDatabase) => {
  test('are sent four at a time to each endpoint, and those of one payout in order', async () => {
    const running = new Set<string>();
    const seen: string[][] = [];
    const four = Promise.withResolvers<void>();
    const reached = Promise.race([four.promise, sleep(5_000, undefined, { ref: false })]);
    const fetch: TestApp['fetch'] = async ({ headers }) => {
      const id = headers['webhook-id'] as string;
      running.add(id);
      seen.push([...running]);
      if (running.size === 4) four.resolve();
      await reached;
      running.delete(id);
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const app = createTestApp(await openTestDatabase(), { fetch });
    const environment = await createTestEnvironment(app);
    for (let order = 0; order < 12; order++) await createPaidTransaction(app, environment);
    const rows = await app.db.query<{ id: number }>('select id from callbacks order by id');
    const ids = rows.map((_, at) => `evt_po_${at >> 1}abc_${at % 2 === 0 ? 'sent' : 'confirmed'}`);
    for (const [at, { id }] of rows.entries())
      await app.db.transaction((tx) =>
        tx.query('update callbacks set transaction_id = 0, webhook_id = $2 where id = $1', [id, ids[at] ?? '']),
      );
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.settled();
    assert.equal(Math.max(...seen.map(({ length }) => length)), 4);
    for (const together of seen) {
      const payouts = together.map((id) => id.split('_')[2]);
      assert.equal(new Set(payouts).size, payouts.length, together.join());
    }
    const begun = seen.map((together) => together.at(-1) as string);
    for (const [at, id] of ids.entries())
      if (at % 2 === 1) assert.ok(begun.indexOf(id) > begun.indexOf(ids[at - 1] ?? ''));
  });
});
