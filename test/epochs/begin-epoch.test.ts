import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findConsoleSession } from '../../src/auth/sign-in/console-session.ts';
import { logIn, logInAtConsole } from '../../src/auth/sign-in/log-in.ts';
import { authenticateBearer } from '../../src/auth/tokens/authenticate-bearer.ts';
import { logInWithApiToken } from '../../src/auth/tokens/log-in-with-api-token.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { whyStoreIsOlder } from '../../src/epochs/check-mark.ts';
import { selectHanded } from '../../src/epochs/epoch-queries.ts';
import { markFile, readMarks, writeMark } from '../../src/epochs/mark-file.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import { watchStore } from '../../src/epochs/watch-store.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { writeCursor } from '../../src/outbox/feed/feed-cursor.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { findPaymentLink, listPaymentLinks } from '../../src/payment-links/find-payment-link.ts';
import { payPaymentLink } from '../../src/payment-links/pay-payment-link.ts';
import { handOverTokens } from '../../src/payment-services/hand-over-tokens.ts';
import { openHandover } from '../../src/payment-services/open-handover.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransactionAnywhere } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

const EVERYTHING = { id: 'usr_1', environmentIds: null };

forEachEngine('a new epoch', (openTestDatabase) => {
  test('starts above all ids given out and above an epoch that began in the same second', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    const before = await createTestTransaction(app, environment, { reference: 'BEFORE' });
    const first = await beginEpoch(app, [], 0, TESTER);
    const second = await beginEpoch(app, [], 700_000_000, TESTER);
    assert.equal(second.epoch, first.epoch + 1);
    assert.equal(second.first_transaction_id, 700_000_001);
    assert.ok(first.first_transaction_id > before.id + 100_000_000);
    const fresh = createTestApp(app.db, { config: app.config });
    assert.equal((await createTestTransaction(fresh, environment, { reference: 'AFTER' })).id, 700_000_001);
  });

  // Otherwise a session that ended in the lost time would work again.
  test('ends sessions that began with a password, and keeps those of programs', async (context) => {
    const app = await openApp(context);
    const user = await createTestUser(app);
    const origin = '127.0.0.1';
    const person = await logIn(app, { email: user.email, password: user.password, address: origin });
    const atConsole = await logInAtConsole(app, { email: user.email, password: user.password, address: origin });
    assert.ok(await findConsoleSession(app, atConsole.text, { isClick: true }));
    const program = await logInWithApiToken(app, {
      apiToken: user.api_token,
      email: null,
      expiresAt: null,
      address: origin,
    });
    await beginEpoch(app, [], 0, TESTER);
    const fresh = createTestApp(app.db, { config: app.config, now: app.now });
    assert.equal(await findConsoleSession(fresh, atConsole.text, { isClick: true }), null);
    const bearer = (text: string) => authenticateBearer(fresh, `Bearer ${text}`, undefined);
    await assert.rejects(bearer(person.text), { code: 'TOKEN_INVALID' });
    assert.equal((await bearer(program.text)).id, user.id);
  });

  test('ends the one-time links to tokens, which may have been opened in the lost time', async (context) => {
    const app = await openApp(context);
    const target = await createTestEnvironment(app);
    const made = await handOverTokens(app, target, 3_600_000, TESTER);
    await beginEpoch(app, [], 0, TESTER);
    assert.equal(await openHandover(app, made?.link ?? '', '192.0.2.1'), null);
  });

  test('starts above the highest reported numbers', async (context) => {
    const app = await openApp(context);
    const seen = { epoch: 2_000_000_000, transactions: 9001, events: 70_000, callbacks: 50, at: app.now() };
    const epoch = await beginEpoch(app, [seen], 0, TESTER);
    assert.equal(epoch.epoch, 2_000_000_001);
    assert.equal(epoch.first_transaction_id, 100_009_001);
    assert.equal(epoch.first_position, 100_070_000);
  });

  test('lets a feed reader continue from the last point that both epochs share', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    await createTestTransaction(app, environment, { reference: 'A' });
    await createTestTransaction(app, environment, { reference: 'B' });
    const afterA = (await readUntil(app, null, 1)).next;
    const ahead = await writeCursor(app, { epoch: 0, commit_id: 99_999_999_999_999, position: 999_999_999 });
    await beginEpoch(app, [], 0, TESTER);
    app.now.advance(60_000);
    await beginEpoch(app, [], 0, TESTER);
    const fresh = createTestApp(app.db, { config: app.config, now: app.now });
    await createTestTransaction(fresh, environment, { reference: 'C' });
    assert.deepEqual(await goOn(app, ahead), ['C']);
    assert.deepEqual(await goOn(app, afterA), ['B', 'C']);
    const { events } = await readUntil(app, null, 3);
    assert.match(events[2]?.id ?? '', /^evt_\d+_1_\d{10}$/);
    assert.match(events[0]?.id ?? '', /^evt_\d+_1$/);
    // A cursor of an epoch that this store has never had.
    assert.deepEqual(await goOn(app, Buffer.from('1234567890.5.5').toString('base64url')), ['A', 'B', 'C']);
  });

  test('holds payments and cancellations of earlier orders until the release, but not of new ones', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    const before = await createTestTransaction(app, environment, { reference: 'BEFORE' });
    app.now.advance(1000);
    await beginEpoch(app, [], 0, TESTER);
    const held = { kind: 'refused', code: 'HELD_AFTER_RESTORE' };
    assert.deepEqual(await startPayment(app, before, 'simulated'), held);
    assert.deepEqual(await cancelTransaction(app, before), held);
    const fresh = createTestApp(app.db, { config: app.config, now: app.now });
    const after = await createTestTransaction(fresh, environment, { reference: 'AFTER' });
    assert.deepEqual(await startPayment(app, after, 'simulated'), { kind: 'asked' });
    assert.equal(await releaseEpoch(app, TESTER, null), true);
    assert.equal(await releaseEpoch(app, TESTER, null), false);
    assert.deepEqual(await startPayment(app, before, 'simulated'), { kind: 'asked' });
  });

  test('holds earlier orders also if it began on a machine whose clock is behind', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    const behind = createTestApp(app.db, { config: app.config, now: createTestClock(app.now()) });
    app.now.advance(3_600_000);
    const before = await createTestTransaction(app, environment, { reference: 'BEFORE' });
    const wish = {
      amount: 5000,
      currency: 'CLP',
      subject: 'Curso',
      uses: 'one',
      expiresAt: null,
      urlCallback: null,
    } as const;
    const { link } = await createPaymentLink(app, environment.id, wish, TESTER);
    await untilVisible(app);
    await beginEpoch(behind, [], 0, TESTER);
    const held = { kind: 'refused', code: 'HELD_AFTER_RESTORE' };
    assert.deepEqual(await startPayment(behind, before, 'simulated'), held);
    assert.deepEqual(await cancelTransaction(behind, before), held);
    const found = await findPaymentLink(behind, link.id);
    assert.equal(found && (await payPaymentLink(behind, found)), 'held');
    const after = await createTestTransaction(behind, environment, { reference: 'AFTER' });
    assert.deepEqual(await startPayment(behind, after, 'simulated'), { kind: 'asked' });
  });

  test('gives a payment link for many payers references that it cannot have given out in the lost time', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    const wish = { amount: 5000, currency: 'CLP', subject: 'Curso', expiresAt: null, urlCallback: null } as const;
    const { link } = await createPaymentLink(app, environment.id, { ...wish, uses: 'many' }, TESTER);
    const pay = async () => {
      const found = await findPaymentLink(app, link.id);
      if (found !== null) await payPaymentLink(app, found);
    };
    await pay();
    const { epoch } = await beginEpoch(app, [], 0, TESTER);
    await pay();
    const made = await app.db.query<{ id: number; reference: string }>(
      'select id, reference from transactions order by created_at, id',
    );
    assert.deepEqual(
      made.map(({ reference }) => reference),
      [`${link.id}-1`, `${link.id}-${epoch}-2`],
    );
    await startPayment(
      app,
      (await selectTransactionAnywhere(app.db, made.at(-1)?.id ?? 0)) as Transaction,
      'simulated',
    );
    assert.equal((await listPaymentLinks(app, null, { limit: 10 }))[0]?.paid, 1, 'the payment counts for its link');
  });

  test('stops a running service, which sends nothing in the meantime', async (context) => {
    const app = await openApp(context);
    const reasons: string[] = [];
    const watch = await watchStore(app, (error) => reasons.push(error.message));
    const may = [await watch.mayLeave()];
    await beginEpoch(app, [], 0, TESTER);
    for (let round = 0; round < 3; round++) may.push(await watch.mayLeave());
    await watch.stop();
    assert.deepEqual(may, [true, false, false, false]);
    assert.match(reasons.join(), /^the store was restored and another epoch has begun$/);
  });

  test('lets nothing leave a service that starts after it, until a person releases it', async (context) => {
    const app = await openApp(context);
    await beginEpoch(app, [], 0, TESTER);
    const watch = await watchStore(app, (error) => assert.fail(error));
    const may = [await watch.mayLeave()];
    await releaseEpoch(app, TESTER, null);
    may.push(await watch.mayLeave());
    await watch.stop();
    assert.deepEqual(may, [false, true]);
  });

  test('is required when a backup was put in the place of the store of a running service', async (context) => {
    const app = await openApp(context);
    await serveAWhile(app);
    const reasons: string[] = [];
    const watch = await watchStore(app, (error) => reasons.push(error.message));
    await app.db.transaction((tx) => tx.query('update store_marks set beat = 0'));
    const mayLeave = await watch.mayLeave();
    await watch.stop();
    assert.equal(mayLeave, false);
    assert.deepEqual(reasons, ['the store has gone back']);
  });

  test('is required before a store older than its mark is served', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    assert.equal(await whyStoreIsOlder(app), null);
    await serveAWhile(app);
    await createTestTransaction(app, environment, { reference: 'SEEN' });
    const [before] = await app.db.query<{ beat: number }>('select beat from store_marks');
    await serveAWhile(app);
    assert.equal(await whyStoreIsOlder(app), null);
    await app.db.transaction((tx) => tx.query('update store_marks set beat = $1', [before?.beat ?? 0]));
    assert.match(
      (await whyStoreIsOlder(app)) ?? '',
      /is older than it was.*, and now lacks changes that it had then\. /,
    );
    await beginEpoch(app, [], 0, TESTER);
    assert.equal(await whyStoreIsOlder(app), null);
    await serveAWhile(app);
    await app.db.transaction((tx) => tx.query('update id_blocks set next_id = next_id - 1'));
    assert.match(
      (await whyStoreIsOlder(app)) ?? '',
      /is older than it was.*, and now has ids up to \d+\. .*bin\/rubrica after-restore/,
      'an older store is found even within the same second',
    );
  });

  test('is not required when a replica beside this one writes its mark during the comparison', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    await createTestTransaction(app, environment, { reference: 'SEEN' });
    await serveAWhile(app);
    const query: TestApp['db']['query'] = async (text, values) => {
      const rows = await app.db.query(text, values);
      await createTestTransaction(app, environment, { reference: `BESIDE ${text.length}` });
      await serveAWhile(app);
      return rows as never;
    };
    assert.equal(await whyStoreIsOlder({ ...app, db: { ...app.db, query } }), null);
  });

  test('finds in the last mark of a service what was committed while an earlier mark was written', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    let committed = false;
    const query: TestApp['db']['query'] = async (text, values) => {
      const rows = await app.db.query(text, values);
      if (text.includes('id_blocks') && !committed) {
        committed = true;
        await createTestTransaction(app, environment, { reference: 'MEANWHILE' });
      }
      return rows as never;
    };
    await serveAWhile({ ...app, db: { ...app.db, query } });
    const [mark] = readMarks(app.config, null);
    const { at: _, ...seen } = mark ?? { at: 0 };
    assert.partialDeepStrictEqual(seen, await selectHanded(app.db));
  });

  test('finds the mark whole when processes with one process id write it at once', async (context) => {
    const app = await openApp(context);
    await serveAWhile(app);
    const [mark] = readMarks(app.config, null);
    assert.ok(mark !== undefined);
    await Promise.all(Array.from({ length: 30 }, () => writeMark(app.config, mark)));
    assert.deepEqual(readMarks(app.config, null), [mark]);
    assert.equal(readdirSync(app.config.dataDir).filter((name) => name.endsWith('.part')).length, 0);
  });

  test('is refused when this machine has already seen its ids given out', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    await createTestTransaction(app, environment, { reference: 'SEEN' });
    await serveAWhile(app);
    await beginEpoch(app, [], 0, TESTER);
    await app.db.transaction((tx) => tx.query('update epochs set first_transaction_id = 1001'));
    assert.match((await whyStoreIsOlder(app)) ?? '', /older/);
  });

  test('is required before another, empty store is served; an unreadable mark requires nothing', async (context) => {
    const app = await openApp(context);
    const environment = await createTestEnvironment(app);
    await createTestTransaction(app, environment, { reference: 'SEEN' });
    await serveAWhile(app);
    await app.db.transaction((tx) => tx.query(`update store_marks set store_id = 'new', beat = 99`));
    assert.match((await whyStoreIsOlder(app)) ?? '', /not the store that was here before/);
    await beginEpoch(app, [], 0, TESTER);
    assert.equal(await whyStoreIsOlder(app), null);
    writeFileSync(markFile(app.config), '{"epoch":');
    assert.equal(await whyStoreIsOlder(app), null);
  });

  test('and an unwritable DATA_DIR: the service continues', async (context) => {
    const app = await openApp(context);
    const file = join(app.config.dataDir, 'file');
    writeFileSync(file, '');
    const elsewhere = { ...app, config: { ...app.config, dataDir: join(file, 'data') } };
    const watch = await watchStore(elsewhere, (error) => assert.fail(error));
    const mayLeave = await watch.mayLeave();
    await watch.stop();
    assert.equal(mayLeave, true);
    assert.deepEqual(readdirSync(app.config.dataDir), ['file']);
  });

  async function openApp(context: { after(work: () => void): void }): Promise<TestApp> {
    const dataDir = mkdtempSync(join(tmpdir(), 'rubrica-epochs-'));
    context.after(() => rmSync(dataDir, { recursive: true }));
    const db = await openTestDatabase();
    const app = createTestApp(db);
    return createTestApp(db, { config: { ...app.config, databaseUrl: db.url, dataDir } });
  }
});

/** Starts and stops the service. */
async function serveAWhile(app: TestApp): Promise<void> {
  const watch = await watchStore(app, (error) => assert.fail(error));
  await watch.stop();
}

/**
 * Reads until `count` events are visible. On PostgreSQL an event is visible when no older transaction of the server
 * runs.
 */
async function readUntil(app: TestApp, after: string | null, count: number) {
  for (;;) {
    const page = await readFeed(app, EVERYTHING, after, count);
    if (page.events.length === count) return page;
  }
}

/** Reads like a reader that follows the fix in the refusal of its cursor. Returns the references. */
async function goOn(app: TestApp, cursor: string): Promise<(string | undefined)[]> {
  let next = '';
  await assert.rejects(readFeed(app, EVERYTHING, cursor, 10), (error: Problem) => {
    next = (error.extras.data as { next: string }).next;
    return error.code === 'CURSOR_BEFORE_RESTORE';
  });
  for (;;) {
    const { events } = await readFeed(app, EVERYTHING, next, 10);
    const references = events.map(({ transaction }) => transaction?.reference);
    if (references.includes('C')) return references;
  }
}
