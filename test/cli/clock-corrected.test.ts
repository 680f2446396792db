import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { recallLookUps } from '../../src/cli/run/recall-look-ups.ts';
import { updateClockAhead } from '../../src/epochs/epoch-queries.ts';
import { insertMail } from '../../src/mail/mail-queries.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { openCheckout, scriptMethod } from '../checkout/checkout-case.ts';
import { startServe } from '../faults/support/serve-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { approved, openPayoutDesk } from '../support/test-payouts.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const DAY_MS = 86_400_000;
const unknown = () => scriptMethod({ start: async () => ({ kind: 'unknown' }) });

forEachEngine('after a clock that was ahead is corrected', (openTestDatabase) => {
  test('the next start asks about an open payment, which would wait for the whole difference', async () => {
    const ahead = createTestClock(Date.UTC(2026, 2, 15));
    const { app, transaction, method } = await openCheckout(openTestDatabase, { method: unknown(), now: ahead });
    await startPayment(app, transaction, 'scripted');
    const now = createTestClock(Date.UTC(2026, 0, 15));
    const corrected = createTestApp(app.db, { now, paymentMethods: [method] });
    now.advance(DAY_MS);
    assert.equal(await lookUpPayments(corrected, 9), 0);
    await recallLookUps(corrected);
    assert.equal(await lookUpPayments(corrected, 9), 1);
    assert.equal(method.lookedUp.length, 1);
  });

  test('a service that starts ends a refund that was planned for a month later', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.now() + 30 * DAY_MS) });
    const environment = await createTestEnvironment(app);
    await acceptedRefund(app, await createPaidTransaction(app, environment), 100);
    await using _service = await startServe({ databaseUrl: db.url });
    const isCompleted = async () => (await db.query("select id from refunds where state = 'completed'")).length === 1;
    assert.ok(await comesTrue(isCompleted));
  });

  test('a waiting callback is sent, and its success ends the failure of its endpoint', async () => {
    const db = await openTestDatabase();
    const ahead = createTestApp(db, {
      now: createTestClock(Date.UTC(2026, 2, 15)),
      fetch: async () => ({ kind: 'answered', status: 503, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const environment = await createTestEnvironment(ahead);
    await createPaidTransaction(ahead, environment);
    await deliver(ahead);
    const app = createTestApp(db, { now: createTestClock(Date.UTC(2026, 0, 15)) });
    app.now.advance(DAY_MS);
    await deliver(app);
    assert.equal(app.sent.length, 0);
    await recallLookUps(app);
    await deliver(app);
    assert.equal(app.sent.length, 1);
    assert.equal((await db.query('select failing_since from endpoints'))[0]?.['failing_since'], null);
  });

  test('refunds, payouts, validations, callbacks and mails without an end are due, and what is planned as usual stays', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await acceptedRefund(app, await createPaidTransaction(app, environment), 100);
    await approved(app, await openPayoutDesk(app));
    await app.db.transaction(async (tx) => {
      const at = app.now();
      const mail = { id: 'mail_1', environment_id: environment.id, transaction_id: 1001, refund_id: null };
      const whom = { address: 'buyer@example.cl', language: 'es', asked_by_payer: 0 };
      await insertMail(tx, { ...mail, ...whom, state: 'queued', attempts: 1, created_at: at, next_attempt_at: at });
      await tx.query('delete from bank_account_validations');
      await tx.query(
        `insert into bank_account_validations
           (id, actor, created_at, state, verdict, account_masked, findings, directory_version)
         values ('bav_1', 'usr_1', $1, 'pending', 'undetermined', '1', '[]', '1')`,
        [at],
      );
    });
    const soon = app.now() + 60_000;
    const read = async (table: string, column: string) =>
      (await app.db.query<{ at: number | null }>(`select ${column} as at from ${table}`)).map(({ at }) => at);
    for (const [table, column] of [
      ['refunds', 'next_lookup_at'],
      ['payouts', 'next_look_at'],
      ['bank_account_validations', 'next_ask_at'],
      ['callbacks', 'next_attempt_at'],
      ['mails', 'next_attempt_at'],
    ] as const) {
      for (const [planned, then] of [
        [soon, soon],
        [app.now() + 30 * DAY_MS, app.now()],
      ]) {
        await app.db.transaction((tx) => tx.query(`update ${table} set ${column} = $1`, [planned ?? 0]));
        await recallLookUps(app);
        assert.deepEqual(new Set(await read(table, column)), new Set([then]));
      }
    }
  });
});

async function deliver(app: App): Promise<void> {
  const delivery = createCallbackDelivery(app);
  while ((await delivery.poll()) > 0) await delivery.settled();
}

forEachEngine('a store whose clock was set ahead', (openTestDatabase) => {
  test('has the same ages in doctor and in attention list', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const now = createTestClock(Date.now());
    const { app, transaction } = await openCheckout(async () => db, { method: unknown(), now });
    await startPayment(app, transaction, 'scripted');
    await db.transaction((tx) => updateClockAhead(tx, 10 * DAY_MS + 60_000));
    const listed = await runCommand(['attention', 'list', '--kind', 'payment', '--json'], { env });
    const { attention } = JSON.parse(listed.stdout) as { attention: { age: number }[] };
    assert.equal(Math.floor((attention[0]?.age ?? 0) / DAY_MS), 10);
    const { stdout } = await runCommand(['doctor'], { env });
    assert.match(stdout, /PROBLEM {2}payment +1 unresolved payment, the oldest for 10 d\n/);
  });
});
