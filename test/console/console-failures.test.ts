import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { listAudit } from '../../src/audit/list-audit.ts';
import { renewSession } from '../../src/auth/sign-in/session.ts';
import { type SessionRow, selectSessionsOf, updateSessionEnded } from '../../src/auth/sign-in/session-queries.ts';
import { updateUserDisabled } from '../../src/auth/user-queries.ts';
import { updateRole } from '../../src/auth/user-right-queries.ts';
import { type Database, type Reader, StorageError, type Tx } from '../../src/db/database.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { atConsole, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import { afterQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { openPayoutDesk, propose } from '../support/test-payouts.ts';
import { askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { refundsOf } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

forEachEngine('a form of the console that fails', (openTestDatabase) => {
  const open = async (app: TestApp, user: TestUser) => {
    const server = await startTestServer(app);
    const post = (path: string, fields: Record<string, string>, language = 'en') =>
      atConsole(server, { 'accept-language': language, ...user.console }).post(path, fields);
    return { server, post };
  };

  test('leads from its answer to a page that can be opened, when the person changes the language', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [payout] = await propose(app, desk);
    const { server, post } = await open(app, desk.users.approver);
    await using _server = server;
    for (const [path, next] of [
      [`/payouts/${payout?.id}/reject`, `/payouts/${payout?.id}`],
      [`/batches/${payout?.batch_id}/reject`, `/batches/${payout?.batch_id}`],
      [`/payouts/${payout?.id}/approve`, `/payouts/${payout?.id}/approve`],
      ['/account/password', '/account'],
    ] as const) {
      const { status, text } = await post(path, { reason: 'a@b.cl' });
      assert.equal(status, 400, path);
      assert.equal(valueOf(text, 'next'), next);
      assert.equal((await server.get(`/console${next}`, desk.users.approver.console)).status, 200, next);
    }
  });

  test('says that it may have been done when the outcome of the commit is unknown', async () => {
    const made = createTestApp(await openTestDatabase());
    const { db } = made;
    let isLost = false;
    const transaction: Database['transaction'] = async (work, kind) => {
      const result = await db.transaction(work, kind);
      if (isLost) throw new StorageError('OUTCOME_UNKNOWN', new Error('the connection ended with the commit'));
      return result;
    };
    const app = { ...made, db: { ...db, transaction } };
    const paid = await createPaidTransaction(app, await createTestEnvironment(app), { amount: 5000 });
    const { server, post } = await open(app, await createTestUser(app, { role: 'owner', may: [] }));
    await using _server = server;
    isLost = true;
    for (const [language, told] of [
      ['en', 'It may have been done'],
      ['es', 'Puede que se haya hecho'],
    ] as const) {
      const wish = { amount: '1000', reason: 'llegó roto', key: language };
      const { status, text } = await post(`/payments/${paid.id}/refund`, wish, language);
      assert.equal(status, 503);
      assert.ok(text.includes(told), text);
      assert.doesNotMatch(text, /Nothing was done|No se hizo nada/);
    }
    assert.equal((await refundsOf(app, paid)).length, 2, 'two forms make two refunds');
  });

  test('says that it may have been done when the database fails after a part of it was', async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const app = createTestApp(failing);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    await createPaidTransaction(app, await createTestEnvironment(app), { customerEmail: 'ana@example.cl' });
    const { server, post } = await open(app, owner);
    await using _server = server;
    const countActs = async () => (await listAudit(app, { action: 'privacy.erased' }, 100)).acts.length;
    const wish = { who: 'ana@example.cl', do: 'erase', confirm: 'ana@example.cl', reason: 'letter 12' };
    const raise = () => new StorageError('STORAGE_UNAVAILABLE', null);
    const told = new Set<boolean>();
    for (let at = 1; ; at++) {
      const before = await countActs();
      Object.assign(faults, { at, points: 0, raise });
      const { status, text } = await post('/personal-data', wish);
      if (status === 200) break;
      const isPart = (await countActs()) > before;
      told.add(isPart);
      if (isPart) assert.match(text, /It may have been done/);
    }
    assert.ok(told.has(true));
  });

  test('says that callbacks may have been resent when the database fails after some were', async () => {
    const db = await openTestDatabase();
    const { failing, faults } = failingStore(db);
    const app = createTestApp(failing);
    const shop = await createTestEnvironment(app);
    await createPaidTransaction(app, shop, {});
    const [endpoint] = await app.db.query<{ id: number }>('select id from endpoints');
    const id = String(endpoint?.id);
    const { server, post } = await open(app, await createTestUser(app, { role: 'owner', may: [] }));
    await using _server = server;
    const countActs = async () => (await listAudit(app, { action: 'callback.resent' }, 100)).acts.length;
    const raise = () => new StorageError('STORAGE_UNAVAILABLE', null);
    for (const [path, fields] of [
      [`/merchants/${shop.paymentServiceId}/resend`, { environment: 'development', endpoint: id }],
      ['/callbacks/resend', { id }],
    ] as const) {
      let parts = 0;
      for (let at = 1; ; at++) {
        await db.transaction((tx) => tx.query(`update callbacks set state = 'dead', attempts = 1, finished_at = 1`));
        const before = await countActs();
        Object.assign(faults, { at, points: 0, raise });
        const { status, text } = await post(path, fields);
        if (status === 303) break;
        if ((await countActs()) === before) continue;
        parts++;
        assert.match(text, /It may have been done/, path);
      }
      assert.ok(parts > 0, path);
    }
  });

  test('says that the person may not do it any more when a right was taken away meanwhile', async () => {
    const made = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(made, await createTestEnvironment(made), { amount: 5000 });
    const owner = await createTestUser(made, { role: 'owner', may: [] });
    const app = afterQuery(made, /^update audit_head set link/, (tx) => updateRole(tx, owner.id, 'auditor'));
    const { server, post } = await open(app, owner);
    await using _server = server;
    const wish = { amount: '1000', reason: 'llegó roto', key: 'k' };
    const { status, text } = await post(`/payments/${paid.id}/refund`, wish, 'es');
    assert.equal(status, 403);
    assert.ok(text.includes('No se hizo nada: ya no puedes hacer esto.'), text);
    assert.deepEqual(await refundsOf(app, paid), []);
  });

  test('says that the session ended meanwhile, or goes on in the one that a proof has put in its place', async () => {
    const made = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(made, await createTestEnvironment(made), { amount: 5000 });
    const owner = await createTestUser(made, { role: 'owner', may: [] });
    const sessionOf = async (tx: Reader) =>
      (await selectSessionsOf(tx, owner.id, made.now())).find(({ kind }) => kind === 'console') as SessionRow;
    const wish = { amount: '1000', reason: 'llegó roto', key: 'k' };
    const meanwhile = async (change: (tx: Tx) => Promise<unknown>) => {
      const { server, post } = await open(afterQuery(made, /^update audit_head set link/, change), owner);
      await using _server = server;
      return await post(`/payments/${paid.id}/refund`, wish, 'es');
    };
    const disabled = await meanwhile((tx) => updateUserDisabled(tx, owner.id, made.now()));
    const ended = await meanwhile(async (tx) => updateSessionEnded(tx, (await sessionOf(tx)).id, made.now()));
    for (const { status, text } of [disabled, ended]) {
      assert.equal(status, 401);
      assert.ok(text.includes('No se hizo nada: tu sesión terminó mientras tanto.'), text);
    }
    assert.deepEqual(await refundsOf(made, paid), []);
    const proved = await meanwhile(async (tx) => renewSession(tx, await sessionOf(tx), 'password', made.now()));
    assert.equal(proved.status, 303);
    assert.equal((await refundsOf(made, paid)).length, 1);
  });

  test('names the other console for a payment service that has moved', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    const desk = await openRefundDesk(from);
    const asked = await askForRefund(from, desk);
    const { server, post } = await open(from, await createTestUser(from, { role: 'owner', may: [] }));
    await using _server = server;
    await movePaymentService(from, to, wishOf(desk.environment));
    from.now.advance(2000);
    const payment = `/payments/${desk.paid.id}`;
    for (const path of ['/refund', '/requests', `/requests/${asked.id}/approve`, `/requests/${asked.id}/reject`]) {
      const { status, text } = await post(`${payment}${path}`, { amount: '1000', reason: 'llegó roto', key: 'k' });
      assert.equal(status, 421, path);
      assert.ok(text.includes('is served at https://pay-2.example.cl. Do it in the console there.'), text);
    }
    const { environment, paymentServiceId } = desk.environment;
    const { status, text } = await post(`/merchants/${paymentServiceId}/hand-over`, { environment, valid: '1d' }, 'es');
    assert.equal(status, 421);
    assert.ok(text.includes('https://pay-2.example.cl'), text);
  });
});

forEachEngine('the live updates of the console', (openTestDatabase) => {
  test('work again with one query for all, after a hundred pages asked while the store did not answer', async () => {
    const made = createTestApp(await openTestDatabase());
    const { db } = made;
    let isDown = true;
    let asked = 0;
    const query: Database['query'] = async (sql, ...rest) => {
      if (!sql.includes('from delivery_attempts')) return db.query(sql, ...rest);
      if (isDown) throw new StorageError('STORAGE_UNAVAILABLE', new Error());
      asked++;
      return db.query(sql, ...rest);
    };
    const app = { ...made, db: { ...db, query } };
    const { console: cookie } = await createTestUser(app, { role: 'support', may: [] });
    await using server = await startTestServer(app);
    const headers = { accept: 'text/event-stream', ...cookie };
    for (let page = 0; page < 100; page++) assert.equal((await server.get('/console/live', headers)).status, 503);
    isDown = false;
    const { status, body } = await fetch(`${server.origin}/console/live`, { headers });
    assert.equal(status, 200);
    // At the opening, and then every three seconds.
    assert.ok(await comesTrue(() => asked > 1));
    await setTimeout(500);
    assert.ok(asked <= 3, `${asked} queries`);
    await body?.cancel();
  });

  test('tell a person of one merchant nothing about how busy the others are', async () => {
    const made = createTestApp(await openTestDatabase());
    const { db } = made;
    let asked = 0;
    const query: Database['query'] = async (sql, ...rest) => {
      if (sql.includes('from delivery_attempts')) asked++;
      return db.query(sql, ...rest);
    };
    const app = { ...made, db: { ...db, query } };
    const { id } = await createPaymentService(app, 'Tienda', TESTER);
    await using server = await startTestServer(app);
    for (const [paymentServices, questions] of [[[id], 0] as const, ['all', 1] as const]) {
      const { console: cookie } = await createTestUser(app, { role: 'merchant', may: [], paymentServices });
      const headers = { accept: 'text/event-stream', ...cookie };
      const { status, body } = await fetch(`${server.origin}/console/live`, { headers });
      await body?.cancel();
      assert.deepEqual([status, asked], [200, questions]);
    }
  });

  test('leave room for others when one person opens many pages', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const headersOf = async () => {
      const { console: cookie } = await createTestUser(app, { role: 'support', may: [] });
      return { accept: 'text/event-stream', ...cookie };
    };
    const open = (headers: Record<string, string>) => fetch(`${server.origin}/console/live`, { headers });
    const ana = await headersOf();
    const opened = [];
    for (let page = 0; page < 11; page++) opened.push(await open(ana));
    opened.push(await open(await headersOf()));
    assert.deepEqual(
      opened.map(({ status }) => status),
      [...Array(10).fill(200), 204, 200],
    );
    for (const { body } of opened) await body?.cancel();
  });
});
