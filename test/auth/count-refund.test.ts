import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disableUser } from '../../src/auth/change-user.ts';
import { createUser, type UserWish } from '../../src/auth/create-user.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { Problem } from '../../src/error-catalogue.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { ConsolePerson } from '../support/console-person.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { refund } from '../support/test-refunds.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const DAY = 24 * 60 * 60_000;

forEachEngine('the daily refund limit of a user', (openTestDatabase) => {
  test('is never exceeded by concurrent refunds of several payments', async () => {
    const { app, pay } = await setUp(openTestDatabase);
    const { id } = await createUser(app, { ...SUPPORT, refundLimits: { CLP: 5000 } }, TESTER);
    const payments = await Promise.all(Array.from({ length: 8 }, pay));
    const wishes = payments.flatMap((paid) => Array.from({ length: 8 }, (_, at) => ({ paid, key: String(at) })));
    // Separate apps, because one process handles the refunds of a merchant one after the other.
    const ask = (paid: Transaction, key: string) =>
      refund(createTestApp(app.db), paid, 300, { requestedBy: id, idempotencyKey: key });
    const outcomes = await Promise.all(wishes.map(({ paid, key }) => outcomeOf(ask(paid, key))));
    assert.equal(outcomes.filter((outcome) => outcome === 'accepted').length, 16);
    assert.equal(outcomes.filter((outcome) => outcome === 'REFUND_LIMIT_REACHED').length, 48);
    const [sum] = await app.db.query<{ total: number }>('select sum(amount) as total from refunds');
    assert.equal(Number(sum?.total), 4800);
  });

  test('refuses a refund above it with the limit and the remainder, and stores nothing', async () => {
    const { app, pay } = await setUp(openTestDatabase);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { ...SUPPORT, refundLimits: { CLP: 5000 }, paymentServices: 'all' });
    const paid = await pay();
    const ask = (amount: number) =>
      server.post(`/trxs/${paid.id}/nullification`, { json: { amount, type: 'parcial' }, headers: user.headers });
    assert.equal((await ask(4000)).status, 200);
    for (const amount of [1001, 5001]) {
      const refused = await ask(amount);
      assert.equal(refused.status, 403);
      const { code, detail, data } = jsonOf(refused);
      assert.equal(code, 'REFUND_LIMIT_REACHED');
      assert.equal(detail, 'You may refund $5.000 CLP a day, and $1.000 CLP of it is left today.');
      assert.deepEqual(data, { limit: 5000, left: 1000, currency: 'CLP' });
    }
    assert.equal((await app.db.query('select id from refunds')).length, 1);
    assert.equal((await ask(1000)).status, 200);
  });

  test('does not matter for a user who is disabled while the refund waits for its turn: none is made', async () => {
    const { app, pay } = await setUp(openTestDatabase);
    const paid = await pay();
    for (const [email, limits] of [
      ['limited@example.cl', { refundLimits: { CLP: 5000 } }],
      ['free@example.cl', {}],
    ] as const) {
      const { id } = await createUser(app, { ...SUPPORT, ...limits, email }, TESTER);
      const transaction: typeof app.db.transaction = async (work, kind) => {
        await disableUser(app, id, TESTER);
        return app.db.transaction(work, kind);
      };
      const waiting = { ...app, db: { ...app.db, transaction } };
      const refused = refund(waiting, paid, 1000, { requestedBy: id, idempotencyKey: 'a' });
      await assert.rejects(refused, { code: 'TOKEN_INVALID' });
    }
    assert.deepEqual(await app.db.query('select id from refunds'), []);
  });

  test('does not matter for a user whose permission is withdrawn while the refund waits: none is made', async () => {
    const { app, pay } = await setUp(openTestDatabase);
    const paid = await pay();
    const user = await createTestUser(app, { role: 'merchant' });
    const transaction: typeof app.db.transaction = async (work, kind) => {
      await setRights(app, user.id, { revoke: ['refunds:create'] }, TESTER);
      return app.db.transaction(work, kind);
    };
    await using server = await startTestServer({ ...app, db: { ...app.db, transaction } });
    const byApi = await server.post(`/trxs/${paid.id}/nullification`, {
      json: { amount: 1000, type: 'parcial' },
      headers: user.headers,
    });
    assert.deepEqual([byApi.status, jsonOf(byApi)['code']], [403, 'PERMISSION_MISSING']);
    await setRights(app, user.id, { grant: ['refunds:create'] }, TESTER);
    const person = new ConsolePerson(server, user.console);
    const wish = { amount: '1000', reason: 'llegó roto', key: 'one' };
    const atConsole = await person.post(`/console/payments/${paid.id}/refund`, wish);
    assert.deepEqual([atConsole.status, await app.db.query('select id from refunds')], [403, []]);
  });

  test('starts again each day in Chile, and counts a replayed request once', async () => {
    const { app, pay } = await setUp(openTestDatabase);
    const { id } = await createUser(app, { ...SUPPORT, refundLimits: { CLP: 1000 } }, TESTER);
    const paid = await pay();
    const ask = (key: string) => outcomeOf(refund(app, paid, 1000, { requestedBy: id, idempotencyKey: key }));
    assert.deepEqual(
      [await ask('a'), await ask('a'), await ask('b')],
      ['accepted', 'replayed', 'REFUND_LIMIT_REACHED'],
    );
    app.now.advance(DAY);
    assert.deepEqual([await ask('b'), await ask('c')], ['accepted', 'REFUND_LIMIT_REACHED']);
  });

  test('comes from the user’s own setting, else from the role, else there is none', async () => {
    const { app, pay } = await setUp(openTestDatabase);
    const paid = await pay();
    let keys = 0;
    const ask = (id: string, amount: number) =>
      outcomeOf(refund(app, paid, amount, { requestedBy: id, idempotencyKey: String(++keys) }));
    const support = await createUser(app, SUPPORT, TESTER);
    assert.deepEqual(support.refund_limits, { CLP: 100_000 });
    assert.equal(await ask(support.id, 200), 'accepted');
    await setRights(app, support.id, { refundLimits: { USD: 100 } }, TESTER);
    assert.equal(await ask(support.id, 1), 'REFUND_LIMIT_REACHED');
    await setRights(app, support.id, { refundLimits: {} }, TESTER);
    assert.equal(await ask(support.id, 200), 'accepted');
    const program = await createUser(app, { email: 'shop@example.cl', may: ['refunds:create'] }, TESTER);
    assert.equal(program.refund_limits, null);
    assert.equal(await ask(program.id, 200), 'accepted');
    await setRights(app, program.id, { refundLimits: { CLP: 0 } }, TESTER);
    assert.equal(await ask(program.id, 1), 'REFUND_LIMIT_REACHED');
    assert.equal(await ask('command line', 1), 'accepted');
  });
});

const SUPPORT: UserWish = { email: 'support@example.cl', role: 'support' };

async function setUp(openTestDatabase: OpenTestDatabase) {
  const app: TestApp = createTestApp(await openTestDatabase());
  const environment = await createTestEnvironment(app);
  return { app, pay: () => createPaidTransaction(app, environment, { amount: 10_000 }) };
}

async function outcomeOf(creation: ReturnType<typeof refund>): Promise<string> {
  try {
    return (await creation).kind;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
