import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallbackFilter, selectResendable } from '../../src/outbox/callback-list-queries.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { disableEndpoint, updateIdle, wakeCallbacks } from '../../src/outbox/endpoints/endpoint-queries.ts';
import {
  measureFailing,
  measureGone,
  selectFailing,
  selectGone,
} from '../../src/outbox/endpoints/failing-endpoint-queries.ts';
import { claimCallbacks, countQueued, selectOldestDue, selectUnreturned } from '../../src/outbox/outbox-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** Enough rows for the planner to prefer an index, and few enough to create in a second. */
const STORED = 20_000;

forEachEngine('in a store full of callbacks', (openTestDatabase, engine) => {
  test('no query of the worker or of a metrics scrape scans all callbacks', async () => {
    const app = createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 404, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment);
    await fill(app);
    const endpoint = { id: 1, environment_id: environment.id };
    const listening = listenToStatements(app);
    const heard = listening.app;
    const delivery = createCallbackDelivery(heard);
    await delivery.poll();
    await delivery.drain();
    await selectOldestDue(heard.db);
    await countQueued(heard.db, new Set());
    await selectUnreturned(heard.db, paid, 1);
    await measureFailing(heard.db);
    await selectFailing(heard.db, 20);
    await measureGone(heard.db, 0);
    await selectGone(heard.db, 0, 20);
    await heard.db.transaction(async (tx) => {
      await wakeCallbacks(tx, endpoint, heard.now());
      await updateIdle(tx, [endpoint]);
      await disableEndpoint(tx, endpoint, heard.now());
    });
    const seen = listening.heard.filter(
      ({ sql }) => /callbacks|endpoints/.test(sql) && !sql.trim().startsWith('insert'),
    );
    assert.ok(seen.length >= 10, 'the outbox runs at least ten different statements');
    for (const statement of seen) {
      const plan = await explain(app, statement);
      assert.deepEqual(plan.filter(readsAll), [], `${engine}: ${statement.sql}\n${plan.join('\n')}`);
      // SQLite must read only the waiting callbacks of the endpoint that is gone.
      if (engine === 'sqlite' && statement.sql.includes(`set state = 'disabled'`))
        assert.match(plan.join(), statement.sql.includes('attempts > 0') ? /callbacks_waiting/ : /callbacks_due/);
      // SQLite must count waiting callbacks from the index, without reading each callback.
      if (engine === 'sqlite' && statement.sql.includes('as queued')) assert.match(plan.join(), /COVERING INDEX/);
    }
  });

  test('a claim of many due callbacks finds each by its key, without a scan', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    await fill(app, 'queued');
    const listening = listenToStatements(app);
    const now = app.now();
    const hosts = [{ environmentId: 0, origin: 'https://full.example.cl' }];
    const size = { perEndpoint: 4096, limit: 4096, excluded: { endpoints: [], environments: [], hosts } };
    const claimed = await listening.app.db.transaction((tx) =>
      claimCallbacks(tx, { lease: 'one', now, until: now, ...size }),
    );
    assert.equal(claimed.length, 4096);
    for (const statement of listening.heard) {
      const plan = await explain(app, statement);
      assert.deepEqual(plan.filter(readsAll), [], plan.join('\n'));
    }
  });

  test('a claim finds each callback by its id, also with statistics from before the backlog', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    await fill(app);
    await app.db.transaction((tx) => tx.query(`update callbacks set state = 'queued' where id > ${STORED / 2}`));
    const listening = listenToStatements(app);
    const now = app.now();
    const size = { perEndpoint: 4096, limit: 4096, excluded: { endpoints: [], environments: [], hosts: [] } };
    await listening.app.db.transaction((tx) => claimCallbacks(tx, { lease: 'one', now, until: now, ...size }));
    const [claim] = listening.heard;
    assert.ok(claim !== undefined);
    const byId = engine === 'sqlite' ? /SEARCH callbacks USING INTEGER PRIMARY KEY/ : /Index Cond: \(id = ANY/;
    assert.match((await explain(app, claim)).join('\n'), byId);
  });

  test('sending callbacks again reads only those that can be sent again, in the order of their ids', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    await fill(app);
    const filters: CallbackFilter[] = [
      {},
      { state: 'dead' },
      { state: 'queued' },
      { paymentServiceId: environment.paymentServiceId },
      { environmentId: environment.id, endpoint: 'https://full.example.cl/callback' },
      { since: 0 },
    ];
    for (const filter of filters) {
      const listening = listenToStatements(app);
      assert.deepEqual(await selectResendable(listening.app.db, filter, [], 0, 100), []);
      for (const statement of listening.heard) {
        const plan = (await explain(app, statement)).join('\n');
        // PostgreSQL may prefer the index of one state, which has as few rows.
        const index = engine === 'sqlite' ? /callbacks_to_resend/ : /callbacks_(to_resend|given_up|due|waiting)/;
        assert.match(plan, index, `${JSON.stringify(filter)}\n${plan}`);
        if (engine === 'sqlite') assert.doesNotMatch(plan, /FOR ORDER BY/);
      }
    }
  });
});

function readsAll(line: string): boolean {
  return /SCAN (callbacks|c|delivery_attempts)\b(?!.* USING )|Seq Scan on (callbacks|delivery_attempts)/.test(line);
}

/** Adds callbacks, delivered like most of a store, or due. */
async function fill({ db }: TestApp, state: 'delivered' | 'queued' = 'delivered'): Promise<void> {
  const [ended, attempts] = state === 'delivered' ? ['c.created_at', 1] : ['null', 0];
  await db.transaction(async (tx) => {
    await tx.query(
      `insert into callbacks (transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at,
         finished_at, attempts, state, webhook_id, url, content_type, body)
       with recursive n (i) as (select 1 union all select i + 1 from n where i < ${STORED})
       select 1000000 + i, c.environment_id, c.endpoint_id, 2, c.created_at, c.created_at, ${ended}, ${attempts}, '${state}',
         'evt_' || i, c.url, c.content_type, c.body from n, callbacks c where c.id = 1`,
    );
  });
  await db.transaction((tx) => tx.query('analyze'), 'slow');
}
