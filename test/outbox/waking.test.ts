import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { SqlRow, Tx } from '../../src/db/database.ts';
import type { RowKey } from '../../src/db/row-key.ts';
import type { FetchOutcome, FetchRequest } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { updateRecovered, wakeCallbacks } from '../../src/outbox/endpoints/endpoint-queries.ts';
import { enqueuePost } from '../../src/outbox/enqueue-post.ts';
import { type ClaimedCallback, claimCallbacks } from '../../src/outbox/outbox-queries.ts';
import { recordAttempts, withNextStep } from '../../src/outbox/record-attempts.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const answered = (status: number, retryAfter: string | null = null): FetchOutcome => {
  return { kind: 'answered', status, retryAfter, excerpt: '', durationMs: 1 };
};

forEachEngine('an endpoint that works again', (openTestDatabase) => {
  test('gets everything that waits for it, oldest first, at most four at once', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(300);
    await shop.fail(4);
    shop.posts.length = 0;
    shop.answers = () => answered(200);
    await shop.enqueue(1);
    await shop.deliverAll();
    assert.equal(shop.posts.length, 301);
    const [news, ...waited] = shop.posts;
    assert.equal(news, 'evt_301_2');
    assert.deepEqual(waited, waited.toSorted(byId));
    assert.ok(shop.most <= 4, `${shop.most} at once`);
    assert.deepEqual(await shop.states(), { delivered: 301 });
    assert.deepEqual(await shop.endpoint(), { failing_since: null, wakes: 0 });
  });

  test('gets what waits for it, and not what waits for another endpoint', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1, 'https://one.example.cl/');
    await shop.enqueue(1, 'https://other.example.cl/');
    await shop.fail(4);
    shop.answers = ({ url }) => answered(url.includes('one') ? 200 : 404);
    await shop.enqueue(1, 'https://one.example.cl/');
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { delivered: 2, queued: 1 });
  });

  test('does not use up the schedule of a callback that alone keeps failing', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.fail(4);
    const before = await shop.callback(1);
    shop.answers = ({ headers }) => answered(headers['webhook-id'] === 'evt_1_2' ? 500 : 200);
    for (let more = 0; more < 20; more++) {
      await shop.enqueue(1);
      await shop.deliverAll();
    }
    const { attempts, next_attempt_at: next } = await shop.callback(1);
    assert.deepEqual([attempts, next], [before.attempts, before.next_attempt_at]);
    assert.equal(shop.posts.filter((id) => id === 'evt_1_2').length, 5);
  });

  test('is not asked again before the time of its Retry-After, even if the schedule is earlier', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.fail(4);
    const { attempts } = await shop.callback(1);
    shop.answers = ({ headers }) => (headers['webhook-id'] === 'evt_1_2' ? answered(503, '86400') : answered(200));
    await shop.enqueue(1);
    await shop.deliverAll();
    const after = await shop.callback(1);
    assert.deepEqual([after.attempts, after.next_attempt_at], [attempts, shop.app.now() + 24 * HOUR]);
  });

  test('gets an attempt in the millisecond of its schedule as the scheduled one, which counts', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.fail(4);
    const { attempts, next_attempt_at: planned } = await shop.callback(1);
    // As waking leaves it, if the worker was busy until the planned time.
    await shop.app.db.transaction((tx) => tx.query('update callbacks set scheduled_at = next_attempt_at'));
    shop.app.now.advance(planned - shop.app.now());
    const delivery = createCallbackDelivery(shop.app);
    assert.equal(await delivery.poll(), 1);
    await delivery.drain();
    const after = await shop.callback(1);
    assert.equal(after.attempts, attempts + 1);
    assert.ok(after.next_attempt_at > planned);
  });

  test('gets no attempt at once of a callback whose failing attempt began in the millisecond of the recovery', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.fail(4);
    const hangs = Promise.withResolvers<FetchOutcome>();
    shop.answers = ({ headers }) => (headers['webhook-id'] === 'evt_2_2' ? hangs.promise : answered(200));
    await shop.enqueue(1);
    const delivery = createCallbackDelivery(shop.app);
    await delivery.poll();
    shop.hanging = 1;
    await shop.enqueue(1);
    await shop.deliverAll();
    hangs.resolve(answered(500));
    shop.hanging = 0;
    await delivery.drain();
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { delivered: 2, queued: 1 });
    assert.equal(shop.posts.filter((id) => id === 'evt_2_2').length, 1);
    assert.ok((await shop.callback(2)).next_attempt_at > shop.app.now());
  });

  for (const order of [
    [0, 1],
    [1, 0],
  ] as const) {
    test(`shows its last failure of attempts that are recorded in the order ${order.join()}`, async () => {
      const { app, claim, enqueue } = await openShop(openTestDatabase);
      await enqueue(2);
      const [first, last] = (await claim()) as [ClaimedCallback, ClaimedCallback];
      const [now, url] = [app.now(), 'https://shop.example.cl/callback'];
      assert.deepEqual([first.url, last.url], [url, url]);
      const attempts = [
        withNextStep(app, first, answered(500), { startedAt: now, endedAt: now + 9 }),
        withNextStep(app, last, answered(404), { startedAt: now + 1, endedAt: now + 2 }),
      ] as const;
      await app.db.transaction((tx) =>
        recordAttempts(
          app,
          tx,
          order.map((at) => attempts[at]),
        ),
      );
      const [endpoint] = await app.db.query('select status, failed_at from endpoints');
      assert.deepEqual({ ...endpoint }, { status: 404, failed_at: now + 1 });
    });
  }

  test('gets a callback that failed during the recovery at once, or after its Retry-After, beside the schedule', async () => {
    const { app, claim, enqueue } = await openShop(openTestDatabase);
    await enqueue(2);
    const claimed = await claim();
    const [endpoint] = await app.db.query<RowKey<number> & SqlRow>('select id, environment_id from endpoints');
    const times = { startedAt: app.now(), endedAt: app.now() + 2 };
    const attempts = [null, '600'].map((retryAfter, at) =>
      withNextStep(app, claimed[at] as ClaimedCallback, answered(503, retryAfter), times),
    );
    app.now.advance(3);
    await app.db.transaction(async (tx) => {
      await updateRecovered(tx, endpoint as RowKey<number>, times.startedAt + 1);
      await recordAttempts(app, tx, attempts);
    });
    const rows = await app.db.query<SqlRow>(
      'select attempts, next_attempt_at, scheduled_at, not_before from callbacks order by id',
    );
    const planned = attempts.map(({ step, endedAt }) => endedAt + (step.kind === 'retry' ? step.afterMs : 0));
    const asked = times.endedAt + 10 * MINUTE;
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      [
        [1, app.now(), planned[0], null],
        [1, asked, planned[1], asked],
      ],
    );
  });

  test('still gets the delay that it asked for', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.fail(3, answered(503, '600'));
    await shop.fail(1, answered(503, '600'));
    shop.answers = () => answered(200);
    await shop.enqueue(1);
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { delivered: 1, queued: 1 });
    shop.app.now.advance(10 * MINUTE);
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { delivered: 2 });
  });

  test('gets a callback again that timed out while it answered another one', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.fail(4);
    shop.app.now.advance(3 * HOUR);
    const hangs = Promise.withResolvers<FetchOutcome>();
    shop.answers = ({ headers }) => (headers['webhook-id'] === 'evt_1_2' ? hangs.promise : answered(200));
    const delivery = createCallbackDelivery(shop.app);
    await delivery.poll();
    shop.hanging = 1;
    shop.app.now.advance(1_000);
    await shop.enqueue(1);
    await shop.deliverAll();
    hangs.resolve({ kind: 'failed', reason: 'timeout', detail: 'ETIMEDOUT', durationMs: 15_000 });
    shop.hanging = 0;
    await delivery.drain();
    shop.answers = () => answered(200);
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { delivered: 2 });
  });

  test('is not recognised by a redirect, which may be the page of a closed shop', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(2);
    await shop.fail(4);
    shop.answers = () => ({ ...answered(302), location: 'https://shop.example.cl/closed' }) as FetchOutcome;
    await shop.enqueue(1);
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { queued: 2, redirected: 1 });
    assert.notEqual((await shop.endpoint())['failing_since'], null);
    shop.app.now.advance(3 * HOUR);
    await shop.deliverAll();
    assert.deepEqual(await shop.states(), { redirected: 3 });
    assert.deepEqual(await shop.endpoint(), { failing_since: null, wakes: 0 });
  });

  test('leaves nothing waiting when one process sees it work while another records a failure', async () => {
    const shop = await openShop(openTestDatabase);
    const others =
      shop.app.db.engine === 'postgres'
        ? [createTestApp(await openTestDatabase({ url: shop.url }), { ...shop.parts, now: shop.app.now })]
        : [];
    for (let round = 0; round < 10; round++) {
      await shop.enqueue(12);
      await shop.fail(4);
      let left = 6;
      shop.answers = () => answered(left-- > 0 ? 500 : 200);
      await shop.enqueue(8);
      await Promise.all([shop.app, ...others].map(shop.deliverAll));
      await shop.enqueue(1);
      await Promise.all([shop.app, ...others].map(shop.deliverAll));
      shop.app.now.advance(10_000);
      await shop.deliverAll();
    }
    assert.deepEqual(await shop.states(), { delivered: 210 });
  });

  test('gets a callback once when one process claims it while another wakes it', async () => {
    const { app, claim, enqueue, fail } = await openShop(openTestDatabase);
    await enqueue(1);
    await fail(4);
    app.now.advance(3 * HOUR);
    const now = app.now();
    const [endpoint] = await app.db.query<RowKey<number> & SqlRow>('select id, environment_id from endpoints');
    let waking = Promise.resolve();
    await app.db.transaction(async (tx) => {
      assert.equal((await claim(tx)).length, 1);
      waking = app.db.transaction((other) => wakeCallbacks(other, endpoint as RowKey<number>, now));
      await untilQueued(app.db);
    });
    await waking;
    assert.deepEqual(await claim(), []);
  });

  test('gets the events of one transaction in order', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.enqueue(1);
    await shop.enqueueEvents(1, [3, 4, 5]);
    await shop.fail(4);
    shop.posts.length = 0;
    shop.answers = () => answered(200);
    await shop.enqueue(1);
    await shop.deliverAll();
    assert.deepEqual(shop.posts, ['evt_2_2', 'evt_1_2', 'evt_1_3', 'evt_1_4', 'evt_1_5']);
    assert.equal(shop.together, 1);
  });
});

const byId = (one: string, other: string) => Number(one.split('_')[1]) - Number(other.split('_')[1]);

/**
 * Opens an app whose shops give the answers of a test. Transactions are only numbers, because the test is about the
 * outbox.
 */
async function openShop(openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  const underWay = new Map<string, number>();
  const parts = {
    fetch: async (request: FetchRequest): Promise<FetchOutcome> => {
      const id = request.headers['webhook-id'] as string;
      const transaction = id.split('_')[1] as string;
      shop.posts.push(id);
      underWay.set(transaction, (underWay.get(transaction) ?? 0) + 1);
      shop.most = Math.max(
        shop.most,
        [...underWay.values()].reduce((sum, one) => sum + one),
      );
      shop.together = Math.max(shop.together, underWay.get(transaction) ?? 0);
      await new Promise((resolve) => setImmediate(resolve));
      const answer = await shop.answers(request);
      underWay.set(transaction, (underWay.get(transaction) ?? 1) - 1);
      return answer;
    },
  };
  const app = createTestApp(db, parts);
  const environment = await createTestEnvironment(app);
  let transactions = 0;
  const enqueueEvents = (
    transactionId: number,
    sequences: readonly number[],
    url = 'https://shop.example.cl/callback',
  ) =>
    app.db.transaction(async (tx) => {
      for (const sequence of sequences)
        await enqueuePost(tx, {
          environmentId: environment.id,
          transactionId,
          sequence,
          at: app.now(),
          url,
          contentType: 'application/x-www-form-urlencoded',
          body: '{}',
        });
    });
  const shop = {
    app,
    parts,
    url: db.url,
    answers: (() => answered(404)) as (request: FetchRequest) => FetchOutcome | Promise<FetchOutcome>,
    /** The `webhook-id`s in the order of arrival. */
    posts: [] as string[],
    most: 0,
    together: 0,
    enqueueEvents,
    enqueue: async (count: number, url?: string) => {
      for (let at = 0; at < count; at++) await enqueueEvents(++transactions, [2], url);
    },
    /** Fails this many attempts of every waiting callback, so that the next one is late. */
    fail: async (attempts: number, answer = answered(404)) => {
      shop.answers = () => answer;
      for (let attempt = 0; attempt < attempts; attempt++) {
        if (attempt > 0) app.now.advance(attempt === 1 ? 6_000 : 40 * MINUTE);
        await shop.deliverAll();
      }
    },
    deliverAll: (by = app) => deliverUntilNone(by, () => [...underWay.values()].filter(Boolean).length > shop.hanging),
    /** Ids of transactions whose posts get no answer. */
    hanging: 0,
    /** Claims what is due, in the order of the ids; without `tx` in its own commit. */
    claim: async (tx?: Tx): Promise<ClaimedCallback[]> => {
      if (tx === undefined) return db.transaction(shop.claim);
      const [now, lease] = [app.now(), randomUUID()];
      const due = {
        now,
        until: now + MINUTE,
        perEndpoint: 10,
        limit: 10,
        excluded: { endpoints: [], environments: [], hosts: [] },
      };
      return (await claimCallbacks(tx, { ...due, lease })).sort((one, other) => one.id - other.id);
    },
    states: async () => {
      const rows = await db.query<{ state: string; count: number }>(
        'select state, count(*) as count from callbacks group by state order by state',
      );
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    callback: async (transactionId: number) => {
      const [row] = await db.query<{ attempts: number; next_attempt_at: number }>(
        'select attempts, next_attempt_at from callbacks where transaction_id = $1',
        [transactionId],
      );
      return row as { attempts: number; next_attempt_at: number };
    },
    endpoint: async () => ({ ...(await db.query('select failing_since, wakes from endpoints'))[0] }),
  };
  return shop;
}

/**
 * Delivers like the worker, without its pauses. A success that wakes other callbacks is recorded when nothing is under
 * way, and at the latest by `drain`.
 */
async function deliverUntilNone(app: TestApp, isSending: () => boolean): Promise<void> {
  for (let found = 1; found > 0; ) {
    const delivery = createCallbackDelivery(app);
    found = 0;
    for (let claimed = 1; claimed > 0; found += claimed) {
      claimed = await delivery.poll();
      do await new Promise((resolve) => setImmediate(resolve));
      while (isSending());
    }
    await delivery.drain();
  }
}
