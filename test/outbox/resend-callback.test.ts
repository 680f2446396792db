import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { Problem } from '../../src/error-catalogue.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import type { CallbackFilter } from '../../src/outbox/callback-list-queries.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { updateRecovered, wakeCallbacks } from '../../src/outbox/endpoints/endpoint-queries.ts';
import { measureGivenUp } from '../../src/outbox/endpoints/given-up-callback-queries.ts';
import { findCallback, listCallbacks, resendCallback, resendCallbacks } from '../../src/outbox/resend-callback.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { afterQuery, onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

const DAY = 86_400_000;

forEachEngine('callbacks that were given up', (openTestDatabase) => {
  test('and those of a worker that died are sent again, but none that a worker holds', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    const [callback] = await app.db.query<{ id: number }>('select id from callbacks');
    for (const [left, outcome] of [
      [1, 'under_way'],
      [0, 'queued'],
    ] as const) {
      await app.db.transaction((tx) =>
        tx.query(`update callbacks set lease = 'x', next_attempt_at = $1`, [app.now() + left]),
      );
      assert.equal(await resendCallback(app, callback?.id as number, TESTER), outcome);
    }
  });

  test('are unknown to a person who resends one that retention deletes at the same moment', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app));
    const [callback] = await listCallbacks(app, {}, 1);
    const deleting = afterQuery(app, /from callbacks c/, (tx) => tx.query('delete from callbacks'));
    assert.equal(await resendCallback(deleting, callback?.id as number, TESTER), null);
  });

  test('are counted from the time they were given up until they are sent again', async () => {
    const { app, shop } = await openShop(openTestDatabase, 422);
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    const begun = app.now();
    await deliverUntilEnd(app);
    assert.equal((await measureGivenUp(app.db, begun)).count, 1);
    assert.equal((await measureGivenUp(app.db, app.now() + 1)).count, 0);
    const [callback] = await listCallbacks(app, { state: 'dead' }, 10);
    shop.answers = 200;
    await resendCallback(app, callback?.id as number, TESTER);
    assert.equal((await measureGivenUp(app.db, begun)).count, 0);
    await deliverUntilEnd(app);
    assert.equal((await measureGivenUp(app.db, begun)).count, 0);
  });

  test('are not counted when the shop accepted them earlier and refuses only the resend', async () => {
    const { app, shop } = await openShop(openTestDatabase, 200);
    await createPaidTransaction(app, await createTestEnvironment(app));
    await deliverUntilEnd(app);
    const [callback] = await listCallbacks(app, {}, 10);
    shop.answers = 400;
    await resendCallback(app, callback?.id as number, TESTER);
    await deliverUntilEnd(app);
    const found = await findCallback(app, callback?.id as number);
    assert.equal(found?.callback.state, 'dead');
    assert.equal((await measureGivenUp(app.db, 0)).count, 0);
  });

  test('are sent again all at once, and their earlier attempts still count', async () => {
    const { app, shop } = await openShop(openTestDatabase, 422);
    const environment = await createTestEnvironment(app);
    for (let i = 0; i < 3; i++) await createPaidTransaction(app, environment);
    await deliverUntilEnd(app);
    shop.answers = 200;
    const told: number[] = [];
    assert.equal(await resendAll(app, {}, (resent) => told.push(resent)), 3);
    assert.deepEqual(told, [3]);
    await deliverUntilEnd(app);
    const callbacks = await listCallbacks(app, {}, 10);
    assert.deepEqual(
      callbacks.map(({ state, attempts }) => [state, attempts]),
      [1, 2, 3].map(() => ['delivered', 4]),
    );
    assert.equal(await resendAll(app, {}), 0);
  });

  test('are sent again while a worker records the recovery of their endpoint, without a deadlock', async () => {
    const { app } = await openShop(openTestDatabase, 500);
    await createPaidTransaction(app, await createTestEnvironment(app));
    await deliverUntilEnd(app);
    const [row] = await app.db.query<{ id: number; endpoint_id: number; environment_id: number }>(
      'select * from callbacks',
    );
    assert.ok(row);
    const endpoint = { id: row.endpoint_id, environment_id: row.environment_id };
    const runs = { recovery: 0, resend: 0 };
    const resending = onQuery(app, async (sql) => {
      if (sql.startsWith('update callbacks set state')) runs.resend++;
    });
    let resent: Promise<unknown> | undefined;
    await app.db.transaction(async (tx) => {
      runs.recovery++;
      assert.ok(await updateRecovered(tx, endpoint, app.now()));
      resent ??= resendCallback(resending, row.id, TESTER);
      await untilQueued(app.db);
      await wakeCallbacks(tx, endpoint, app.now());
    });
    assert.equal(await resent, 'queued');
    assert.deepEqual(runs, { recovery: 1, resend: 1 });
  });

  test('are sent again in short commits, each once', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    await deliverUntilEnd(app);
    await copyCallback(app, 249);
    const told: number[] = [];
    assert.equal(await resendAll(app, {}, (resent) => told.push(resent)), 250);
    assert.deepEqual(told, [100, 200, 250]);
    assert.equal((await listCallbacks(app, { state: 'queued' }, 1000)).length, 250);
  });

  test('are not sent again if they were delivered, or queued by another run, after they were found', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    await createPaidTransaction(app, await createTestEnvironment(app));
    await deliverUntilEnd(app);
    const found = /from callbacks c\s+cross join/;
    for (const [filter, change] of [
      [{}, "state = 'delivered'"],
      [{ state: 'dead' }, "state = 'queued', attempts = 0"],
    ] as const) {
      await app.db.transaction((tx) => tx.query("update callbacks set state = 'dead', attempts = 3"));
      const overtaken = afterQuery(app, found, (tx) => tx.query(`update callbacks set ${change}`));
      assert.deepEqual(await resendCallbacks(overtaken, filter, TESTER), { resent: 0, next: null });
    }
    assert.equal((await app.db.query("select 1 as one from audit_log where action = 'callback.resent'")).length, 0);
  });

  test('are sent again in portions, each of which continues where the previous one stopped', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    await createPaidTransaction(app, await createTestEnvironment(app));
    await deliverUntilEnd(app);
    await copyCallback(app, 149);
    const first = await resendCallbacks(app, { state: 'dead' }, TESTER, { most: 100 });
    assert.equal(first.resent, 100);
    assert.notEqual(first.next, null);
    const second = await resendCallbacks(app, { state: 'dead' }, TESTER, { most: 100, behind: first.next ?? 0 });
    assert.deepEqual(second, { resent: 50, next: null });
  });

  test('are sent again for one payment service only, or only from a given time on', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    const one = await createTestEnvironment(app);
    const other = await createTestEnvironment(app);
    await createPaidTransaction(app, one);
    await deliverUntilEnd(app);
    app.now.advance(DAY);
    const since = app.now();
    await createPaidTransaction(app, one);
    await createPaidTransaction(app, other);
    await deliverUntilEnd(app);
    assert.equal(await resendAll(app, { paymentServiceId: one.paymentServiceId, since }), 1);
    assert.equal(await resendAll(app, { paymentServiceId: other.paymentServiceId }), 1);
    assert.equal(await resendAll(app, { since }), 0);
    assert.equal(await resendAll(app, {}), 1);
  });

  test('are sent again even if others belong to a payment service that has moved away', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [moved, here]) await createPaidTransaction(app, environment);
    await deliverUntilEnd(app);
    await leaveFor(app, moved);
    assert.equal(await resendAll(app, {}), 1);
    const queued = await app.db.query("select environment_id from callbacks where state = 'queued'");
    assert.deepEqual(
      queued.map(({ environment_id }) => environment_id),
      [here.id],
    );
  });

  test('of a payment service that has moved away are refused with its new address', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const paid = await createPaidTransaction(app, moved);
    await createPaidTransaction(app, here);
    await deliverUntilEnd(app);
    const [callback] = await listCallbacks(app, { paymentServiceId: moved.paymentServiceId }, 1);
    await leaveFor(app, moved);
    const isMoved = (error: unknown) => {
      assert.ok(error instanceof Problem);
      const { code, extras } = error;
      assert.deepEqual([code, extras.movedTo], ['PAYMENT_SERVICE_MOVED', 'https://pay-2.example.cl']);
      assert.match(extras.detail?.es ?? '', /https:\/\/pay-2\.example\.cl/);
      return true;
    };
    const later = app.now() + DAY;
    for (const filter of [
      { paymentServiceId: moved.paymentServiceId },
      { environmentId: moved.id, since: later },
      { transactionId: paid.id },
    ])
      await assert.rejects(resendAll(app, filter), isMoved);
    await assert.rejects(resendCallback(app, callback?.id as number, TESTER), isMoved);
    assert.equal(await resendAll(app, { paymentServiceId: here.paymentServiceId }), 1);
    assert.equal(await resendAll(app, { since: later }), 0);
  });

  test('are searched only once for a payment service that has none', async () => {
    const { app } = await openShop(openTestDatabase, 200);
    const [moved, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    await createPaidTransaction(app, moved);
    const listening = listenToStatements(app);
    const walks = () => listening.all.filter(({ sql }) => sql.includes('from callbacks c')).length;
    assert.equal(await resendAll(listening.app, { paymentServiceId: here.paymentServiceId }), 0);
    assert.equal(walks(), 1);
    await leaveFor(app, moved);
    assert.equal(await resendAll(listening.app, { paymentServiceId: here.paymentServiceId }), 0);
    assert.equal(walks(), 2);
  });

  test('of a disabled endpoint are sent again on request, and the endpoint gets new ones too', async () => {
    const { app, shop } = await openShop(openTestDatabase, 410);
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    await deliverUntilEnd(app);
    await createPaidTransaction(app, environment);
    assert.equal(await resendAll(app, {}), 0);
    shop.answers = 200;
    assert.equal(await resendAll(app, { state: 'disabled' }), 2);
    await createPaidTransaction(app, environment);
    await deliverUntilEnd(app);
    assert.equal((await listCallbacks(app, { state: 'delivered' }, 10)).length, 3);
  });

  test('are shown with their exact body and every attempt', async () => {
    const { app } = await openShop(openTestDatabase, 422);
    const environment: ServiceEnvironment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment);
    await deliverUntilEnd(app);
    const [listed] = await listCallbacks(app, {}, 10);
    const found = await findCallback(app, listed?.id as number);
    assert.equal(found?.callback.transaction_id, paid.id);
    assert.equal(new URLSearchParams(found?.callback.body).get('x_reference'), paid.reference);
    assert.deepEqual(
      found?.attempts.map(({ status }) => status),
      [422, 422, 422],
    );
    assert.equal(await findCallback(app, 0), null);
  });
});

/** Opens an app whose shops all give the same answer, which a test can change. */
async function openShop(openTestDatabase: OpenTestDatabase, answers: number) {
  const shop = { answers };
  const fetch = async (): Promise<FetchOutcome> => ({
    kind: 'answered',
    status: shop.answers,
    retryAfter: null,
    excerpt: '',
    durationMs: 1,
  });
  return { shop, app: createTestApp(await openTestDatabase(), { fetch }) };
}

/** Runs three attempts: after the third nothing is due, with any answer. */
async function deliverUntilEnd(app: TestApp): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    app.now.advance(600_000);
  }
}

async function resendAll(app: App, filter: CallbackFilter, onProgress: (resent: number) => void = () => {}) {
  return (await resendCallbacks(app, { state: 'dead', ...filter }, TESTER, { onProgress })).resent;
}

/** Adds `times` copies of the only callback. */
function copyCallback(app: App, times: number): Promise<void> {
  return app.db.transaction(async (tx) => {
    for (let copy = 1; copy <= times; copy++) {
      await tx.query(
        `insert into callbacks (transaction_id, environment_id, endpoint_id, sequence, created_at, next_attempt_at,
           finished_at, attempts, state, webhook_id, url, content_type, body)
         select transaction_id, environment_id, endpoint_id, $1, created_at, next_attempt_at,
           finished_at, attempts, state, 'evt_copy_' || $2, url, content_type, body
         from callbacks order by id limit 1`,
        [100 + copy, String(copy)],
      );
    }
  });
}
