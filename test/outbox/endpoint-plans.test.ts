import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { selectRedirecting } from '../../src/outbox/endpoints/endpoint-answer-queries.ts';
import {
  selectEndpointsOf,
  selectTroubled,
  selectTroubledOf,
} from '../../src/outbox/endpoints/failing-endpoint-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, type HeardStatement, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('lists of endpoints of a shop with one URL for each order', (openTestDatabase, engine) => {
  test('look only at the callbacks of the endpoints that they show, the longest failing first', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id: environmentId } = await createTestEnvironment(app);
    const rows = [
      { failing_since: null, disabled_at: null },
      { failing_since: 3, disabled_at: null },
      { failing_since: null, disabled_at: 2 },
      { failing_since: 1, disabled_at: 4 },
      { failing_since: null, disabled_at: null },
    ].map((row, at) => ({ environment_id: environmentId, address: `https://shop.example.cl/${at}`, ...row }));
    const columns = Object.keys(rows[0] ?? {});
    await app.db.transaction((tx) => tx.insertRows({ name: 'endpoints', columns }, rows));
    const listening = listenToStatements(app);
    for (const [ask, shown, index] of [
      [({ db }, limit) => selectEndpointsOf(db, environmentId, limit), '3 2 1 0 4', /environment_id=/],
      [({ db }, limit) => selectTroubled(db, limit), '3 2 1', /endpoints_failing[^]*endpoints_disabled/],
      [
        ({ db }, limit) => selectTroubledOf(db, [environmentId], limit),
        '3 2 1',
        /endpoints_failing[^]*endpoints_disabled/,
      ],
    ] as const satisfies [(one: TestApp, limit: number) => Promise<{ address: string }[]>, string, RegExp][]) {
      const read = async (limit: number) =>
        (await ask(listening.app, limit)).map(({ address }) => address.slice(-1)).join(' ');
      assert.equal(await read(10), shown);
      assert.equal(await read(2), '3 2');
      assert.equal(await read(4), shown.slice(0, 7));
      const plan = (await explain(app, listening.heard.at(-1) as HeardStatement)).join('\n');
      if (engine !== 'sqlite') continue;
      assert.match(plan, /^(CO-ROUTINE|MATERIALIZE) p$/m);
      assert.match(plan, index);
    }
  });

  test('read the healthy endpoints of a merchant in the order of their index, and only as many as are shown', {
    skip: engine !== 'sqlite' && 'PostgreSQL sorts a small table',
  }, async () => {
    const app = createTestApp(await openTestDatabase());
    const { id: environmentId } = await createTestEnvironment(app);
    const listening = listenToStatements(app);
    await selectEndpointsOf(listening.app.db, environmentId, 10);
    const plan = (await explain(app, listening.heard.at(-1) as HeardStatement)).join('\n');
    assert.match(
      plan,
      /^(CO-ROUTINE|MATERIALIZE) p\n(?!USE TEMP)SEARCH p USING INDEX \S+ \(environment_id=\?\)\n(?!USE TEMP)/,
    );
  });

  test('find redirects among the newest callbacks of the store only', async () => {
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 302, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment, { reference: 'ORD-1' });
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.settled();
    await createPaidTransaction(app, environment, { reference: 'ORD-2' });
    const redirected = async (looked: number, back: number) =>
      (await selectRedirecting(app.db, looked, back)).map((endpoint) => endpoint.redirected);
    assert.deepEqual(await redirected(10, 2), [1]);
    assert.deepEqual(await redirected(10, 1), []);
    assert.deepEqual(await redirected(0, 2), []);
  });
});
