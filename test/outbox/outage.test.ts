import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const MINUTE = 60_000;

forEachEngine('a shop that answers 404 for an hour', (openTestDatabase) => {
  test('gets every callback when it works again', async () => {
    const posts: string[] = [];
    let status = 404;
    const app = createTestApp(await openTestDatabase(), {
      fetch: async ({ headers }) => {
        posts.push(headers['webhook-id'] as string);
        return { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
      },
    });
    const environment = await createTestEnvironment(app);
    for (let minute = 0; minute < 60; minute++) {
      await createPaidTransaction(app, environment);
      await passMinute(app);
    }
    assert.deepEqual(await countStates(app), { queued: 60 });
    const during = posts.length;
    // At most four attempts each: at 0, 5 s, 5 min and 35 min.
    assert.ok(during <= 4 * 60, `${during} posts`);
    status = 200;
    await createPaidTransaction(app, environment);
    await passMinute(app);
    assert.deepEqual(await countStates(app), { delivered: 61 });
    assert.equal(posts.length, during + 61);
  });
});

/** Runs the worker for a minute: it polls every five seconds. */
async function passMinute(app: TestApp): Promise<void> {
  for (let second = 0; second < 60; second += 5) {
    while ((await deliverSome(app)) > 0);
    app.now.advance(MINUTE / 12);
  }
}

/** Polls once and waits for the requests under way. Returns how many callbacks were claimed. */
async function deliverSome(app: TestApp): Promise<number> {
  const delivery = createCallbackDelivery(app);
  const claimed = await delivery.poll();
  await delivery.drain();
  return claimed;
}

async function countStates(app: TestApp): Promise<Record<string, number>> {
  const rows = await app.db.query<{ state: string; count: number }>(
    'select state, count(*) as count from callbacks group by state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
