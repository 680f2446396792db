import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { problemHeaders } from '../../src/http/problem-headers.ts';
import { consumeLimit, removeEndedLimits } from '../../src/limits/consume-limit.ts';
import { type Limit, limitKey, limitProblem } from '../../src/limits/limit.ts';
import { decrementCount, deleteCount, incrementCount } from '../../src/limits/limit-queries.ts';
import { comesTrue, PATIENCE_MS } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { untilQueued } from '../support/until-queued.ts';

const WINDOW: Limit = { name: 'window', most: 3, windowMs: 60_000, counts: 'window' };
const STREAK: Limit = { name: 'streak', most: 3, windowMs: 60_000, counts: 'streak' };

forEachEngine('a limit', (openTestDatabase) => {
  test('allows a number of uses, says how many are left, and refuses the next one', async () => {
    const app = createTestApp(await openTestDatabase());
    const uses = [];
    for (let i = 0; i < 4; i++) uses.push(await consumeLimit(app, WINDOW, 'a'));
    assert.deepEqual(uses, [
      { allowed: true, remaining: 2, resetMs: 60_000 },
      { allowed: true, remaining: 1, resetMs: 60_000 },
      { allowed: true, remaining: 0, resetMs: 60_000 },
      { allowed: false, remaining: 0, resetMs: 60_000 },
    ]);
  });

  test('counts each subject and each limit separately', async () => {
    const app = createTestApp(await openTestDatabase());
    for (let i = 0; i < 3; i++) await consumeLimit(app, WINDOW, 'a');
    assert.equal((await consumeLimit(app, WINDOW, 'b')).remaining, 2);
    assert.equal((await consumeLimit(app, STREAK, 'a')).remaining, 2);
  });

  test('keeps what is left when it refuses several uses at once, also for concurrent uses', async () => {
    const db = await openTestDatabase();
    // The second process has not read the count of the first.
    const [app, late] = [createTestApp(db), createTestApp({ ...db, query: async () => [] })];
    const many = { ...WINDOW, most: 100 };
    const bulks = [(await consumeLimit(app, many, 'a', 60)).allowed];
    for (let times = 0; times < 2; times++) {
      const refused = await consumeLimit(late, many, 'a', 60);
      assert.equal(refused.remaining, 40, 'a refusal has the number that is left');
      bulks.push(refused.allowed);
    }
    bulks.push((await consumeLimit(late, many, 'a', 30)).allowed);
    assert.deepEqual(bulks, [true, false, false, true]);
    assert.deepEqual(await consumeLimit(app, many, 'a'), { allowed: true, remaining: 9, resetMs: 60_000 });
    const together = await Promise.all([60, 9, 60].map((times) => consumeLimit(late, many, 'a', times)));
    assert.deepEqual(
      together.map(({ allowed }) => allowed),
      [false, true, false],
    );
    assert.equal((await consumeLimit(late, many, 'a')).allowed, false);
  });

  test('of a window ends with the window, whatever is used meanwhile', async () => {
    const app = createTestApp(await openTestDatabase());
    await consumeLimit(app, WINDOW, 'a');
    app.now.advance(40_000);
    for (let i = 0; i < 5; i++) await consumeLimit(app, WINDOW, 'a');
    app.now.advance(19_999);
    assert.equal((await consumeLimit(app, WINDOW, 'a')).allowed, false);
    app.now.advance(1);
    assert.deepEqual(await consumeLimit(app, WINDOW, 'a'), { allowed: true, remaining: 2, resetMs: 60_000 });
  });

  test('of a streak ends only after a window without a use, and a refused use does not prolong it', async () => {
    const app = createTestApp(await openTestDatabase());
    for (let i = 0; i < 3; i++) {
      assert.equal((await consumeLimit(app, STREAK, 'a')).allowed, true);
      app.now.advance(59_000);
    }
    assert.deepEqual(await consumeLimit(app, STREAK, 'a'), { allowed: false, remaining: 0, resetMs: 1_000 });
    app.now.advance(1_000);
    assert.equal((await consumeLimit(app, STREAK, 'a')).allowed, true);
  });

  test('is not used up until a time that only a clock far ahead has reached', async () => {
    const db = await openTestDatabase();
    const [app, ahead] = [createTestApp(db), createTestApp(db)];
    ahead.now.advance(3 * 3_600_000);
    for (const limit of [WINDOW, STREAK]) {
      for (let i = 0; i < 4; i++) await consumeLimit(ahead, limit, 'a');
      const uses = [];
      for (let i = 0; i < 4; i++) uses.push((await consumeLimit(app, limit, 'a')).allowed);
      assert.deepEqual(uses, [true, true, true, false]);
    }
  });

  test('counts the uses at a process whose clock is somewhat ahead', async () => {
    const db = await openTestDatabase();
    const [app, ahead] = [createTestApp(db), createTestApp(db)];
    ahead.now.advance(30_000);
    for (let i = 0; i < 3; i++) await consumeLimit(ahead, STREAK, 'a');
    assert.equal((await consumeLimit(app, STREAK, 'a')).allowed, false);
  });

  test('of a merchant does not wait for the counts of unknown clients', async () => {
    const db = await openTestDatabase();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let isFirst = true;
    const transaction: typeof db.transaction = async (work) => {
      if (isFirst) {
        isFirst = false;
        await held;
      }
      return db.transaction(work);
    };
    const app = createTestApp({ ...db, transaction });
    const strangers = [1, 2, 3].map((n) => consumeLimit(app, WINDOW, `192.0.2.${n}`));
    await comesTrue(() => !isFirst);
    const own = await Promise.race([
      consumeLimit(app, { ...WINDOW, name: 'own', known: true }, 'ps_1'),
      after(strangers),
    ]);
    assert.deepEqual(own, { allowed: true, remaining: 2, resetMs: 60_000 });
    release();
    assert.equal((await Promise.all(strangers)).length, 3);

    // Ends after a while, so that a failing test does not wait for ever.
    async function after(counts: Promise<unknown>[]): Promise<null> {
      await sleep(PATIENCE_MS, undefined, { ref: false });
      release();
      await Promise.all(counts);
      return null;
    }
  });

  test('is shared by replicas: a burst on four of them allows no more than the limit', async () => {
    const db = await openTestDatabase();
    const limit: Limit = { ...WINDOW, most: 20 };
    const replicas = [db, ...(await Promise.all([1, 2, 3].map(() => openTestDatabase({ url: db.url }))))];
    const apps = replicas.map((replica) => createTestApp(replica));
    const uses = await Promise.all(
      apps.flatMap((app) => Array.from({ length: 25 }, () => consumeLimit(app, limit, 'a'))),
    );
    assert.equal(uses.filter((use) => use.allowed).length, 20);
  });

  test('can be given one use again, and can be reset', async () => {
    const app = createTestApp(await openTestDatabase());
    const key = limitKey(app, WINDOW, 'a');
    for (let i = 0; i < 3; i++) await consumeLimit(app, WINDOW, 'a');
    await app.db.transaction((tx) => decrementCount(tx, key));
    assert.equal((await consumeLimit(app, WINDOW, 'a')).allowed, true);
    assert.equal((await consumeLimit(app, WINDOW, 'a')).allowed, false);
    await app.db.transaction((tx) => deleteCount(tx, key));
    assert.equal((await consumeLimit(app, WINDOW, 'a')).remaining, 2);
  });

  test('that restarts while it is removed keeps its first use', async () => {
    const app = createTestApp(await openTestDatabase());
    await consumeLimit(app, WINDOW, 'a');
    app.now.advance(60_000);
    const use = { key: limitKey(app, WINDOW, 'a'), now: app.now(), endsAt: app.now() + 60_000 };
    let removing: ReturnType<typeof removeEndedLimits> | undefined;
    await app.db.transaction(async (tx) => {
      await incrementCount(tx, { ...use, renews: false, times: 1 });
      removing = removeEndedLimits(app, 10);
      await untilQueued(app.db);
    });
    assert.equal(await removing, 0);
    assert.equal((await consumeLimit(app, WINDOW, 'a')).remaining, 1);
  });

  test('stores no subject in plain text, and nothing after its window', async () => {
    const app = createTestApp(await openTestDatabase());
    await consumeLimit(app, WINDOW, 'someone@example.cl');
    await consumeLimit(app, { ...WINDOW, windowMs: 90_000 }, '192.0.2.1');
    const rows = await app.db.query('select * from limit_counts');
    assert.equal(rows.length, 2);
    assert.doesNotMatch(JSON.stringify(rows), /someone|192\.0\.2/);
    assert.equal(await removeEndedLimits(app, 10), 0);
    app.now.advance(60_000);
    assert.equal(await removeEndedLimits(app, 10), 1);
    app.now.advance(30_000);
    assert.equal(await removeEndedLimits(app, 10), 1);
    assert.deepEqual(await app.db.query('select * from limit_counts'), []);
  });
});

test('a refusal names its limit in the RateLimit fields, and the time in whole seconds', () => {
  const problem = limitProblem(WINDOW, { allowed: false, remaining: 0, resetMs: 1 });
  assert.equal(problem.code, 'RATE_LIMITED');
  assert.deepEqual(problemHeaders(problem), {
    'retry-after': '1',
    'ratelimit-policy': '"window";q=3;w=60',
    ratelimit: '"window";r=0;t=1',
  });
});
