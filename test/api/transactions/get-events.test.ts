import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../../src/checkout/cancel-transaction.ts';
import { startPayment } from '../../../src/checkout/start-payment.ts';
import { readFeed } from '../../../src/outbox/feed/read-feed.ts';
import { recordUserEvent } from '../../../src/outbox/record-event.ts';
import type { Transaction } from '../../../src/transactions/transaction.ts';
import { lockTransaction, selectTransaction } from '../../../src/transactions/transaction-queries.ts';
import { transitionTransaction } from '../../../src/transactions/transition-transaction.ts';
import { forEachEngine } from '../../support/engines.ts';
import { listenToStatements } from '../../support/heard-statements.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { jsonOf, startTestServer, type TestServer } from '../../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../../support/test-shop.ts';
import { createTestUser, type TestUser } from '../../support/test-user.ts';
import { untilQueued } from '../../support/until-queued.ts';
import { untilVisible } from '../../support/until-visible.ts';

type Event = { id: string; type: string; sequence: number | null; transaction: { id: number; state: string } | null };
type Page = { events: Event[]; next: string; has_more: boolean };

type Reader = { app: TestApp; server: TestServer; user: TestUser };

/** Reads a page of the feed after every committed event has become visible. */
async function read(reader: Reader, query = ''): Promise<Page> {
  await untilVisible(reader.app);
  return readNow(reader, query);
}

async function readNow({ server, user }: Reader, query = ''): Promise<Page> {
  const answer = await server.get(`/events${query}`, user.headers);
  assert.equal(answer.status, 200);
  return (jsonOf(answer) as { data: Page }).data;
}

/** Follows the cursors to the end of the feed. Returns all events and the number of pages. */
async function readAll(reader: Reader, limit: number): Promise<{ events: Event[]; pages: number }> {
  const events: Event[] = [];
  let after = '';
  for (let pages = 1; ; pages++) {
    const page = await read(reader, `?limit=${limit}${after}`);
    assert.ok(page.events.length <= limit);
    events.push(...page.events);
    if (!page.has_more) return { events, pages };
    after = `&after=${page.next}`;
  }
}

const idsOf = (events: readonly Event[]) => events.map((event) => event.id);

forEachEngine('GET /events', (openTestDatabase) => {
  test('tells what happened to a transaction, with the state that each event left', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const transaction = await createTestTransaction(app, environment);
    app.now.advance(90_000);
    await startPayment(app, transaction, 'simulated');
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    await untilVisible(app);
    const answer = await server.get('/events', user.headers);
    const { data, ...envelope } = jsonOf(answer) as { data: Page };
    assert.deepEqual(envelope, { message: 'OK', errors: null });
    const shared = { environment: 'development', payment_service: environment.paymentServiceId };
    const told = { id: transaction.id, reference: 'ORD-1', amount: '12990.00', currency: 'CLP' };
    assert.deepEqual(data.events, [
      {
        id: `evt_${transaction.id}_1`,
        type: 'transaction.created',
        sequence: 1,
        created_at: '2026-01-15T12:00:00.000Z',
        transaction: { ...told, state: 'pending' },
        ...shared,
        data: null,
      },
      {
        id: `evt_${transaction.id}_2`,
        type: 'transaction.completed',
        sequence: 2,
        created_at: '2026-01-15T12:01:30.000Z',
        transaction: { ...told, state: 'completed' },
        ...shared,
        data: { authorization_code: '001001', card_last_digits: '6623' },
      },
    ]);
    assert.equal(data.has_more, false);
    const [callback] = await app.db.query<{ webhook_id: string }>('select webhook_id from callbacks');
    assert.equal(callback?.webhook_id, data.events[1]?.id);
    assert.ok(!answer.text.includes(transaction.pay_secret));
  });

  test('leaves out the events of a payment service that is still being copied to here', async () => {
    const app = createTestApp(await openTestDatabase());
    const [arriving, here] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    for (const environment of [arriving, here]) await createTestTransaction(app, environment);
    await app.db.transaction((tx) =>
      tx.query(
        `insert into moves (id, payment_service_id, direction, state, environment_ids, address, began_at, began_by, changed_at, progress)
         values ('move_x', $1, 'in', 'copying', '[]', 'https://other.example', 1, 'x', 1, '{}')`,
        [arriving.paymentServiceId],
      ),
    );
    await using server = await startTestServer(app);
    const { events } = await read({ app, server, user: await createTestUser(app) });
    assert.deepEqual(
      events.map((event) => (event as unknown as { payment_service: string }).payment_service),
      [here.paymentServiceId],
    );
  });

  test('reports a contradiction with the state that the transaction keeps', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const made = await createTestTransaction(app, environment);
    await cancelTransaction(app, made);
    const cancelled = (await selectTransaction(app.db, made)) as Transaction;
    const cause = { event: 'approve' as const, at: app.now(), paymentMethod: 'simulated', attemptId: null, data: null };
    await app.db.transaction((tx) => transitionTransaction(tx, environment, cancelled, cause));
    await using server = await startTestServer(app);
    const { events } = await read({ app, server, user: await createTestUser(app) });
    assert.deepEqual(
      events.map((event) => [event.type, event.transaction?.state, event.sequence]),
      [
        ['transaction.created', 'pending', 1],
        ['transaction.cancelled', 'cancelled', 2],
        ['transaction.conflict', 'cancelled', 3],
      ],
    );
  });

  test('gives every event exactly once along the cursors, whatever the size of the pages', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await createMany(app, 7, (reference) => createTestTransaction(app, environment, { reference }));
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    const whole = idsOf((await read({ app, server, user })).events);
    assert.equal(whole.length, 7);
    for (const [limit, pages] of [
      [1, 7],
      [3, 3],
      [7, 1],
      [500, 1],
    ] as const) {
      const all = await readAll({ app, server, user }, limit);
      assert.deepEqual([idsOf(all.events), all.pages], [whole, pages]);
    }
  });

  test('the cursor of the last page finds later events, and only those', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    const empty = await read({ app, server, user });
    assert.deepEqual([empty.events, empty.has_more], [[], false]);
    const first = await createTestTransaction(app, environment, { reference: 'first' });
    const page = await read({ app, server, user }, `?after=${empty.next}`);
    assert.deepEqual(idsOf(page.events), [`evt_${first.id}_1`]);
    assert.deepEqual((await read({ app, server, user }, `?after=${page.next}`)).events, []);
    const second = await createTestTransaction(app, environment, { reference: 'second' });
    assert.deepEqual(idsOf((await read({ app, server, user }, `?after=${page.next}`)).events), [`evt_${second.id}_1`]);
  });

  test('shows a user of one payment service both its environments, and nothing of another', async () => {
    const app = createTestApp(await openTestDatabase());
    const [own, other] = [await createTestEnvironment(app), await createTestEnvironment(app, 'production')];
    const user = await createTestUser(app, { paymentServices: [own.paymentServiceId] });
    const operator = await createTestUser(app);
    for (const [at, environment] of [other, own, other, own, other, other].entries()) {
      await createTestTransaction(app, environment, { reference: `${at}` });
    }
    await using server = await startTestServer(app);
    for (const limit of [1, 2, 100]) {
      const { events } = await readAll({ app, server, user }, limit);
      assert.deepEqual(events.map(({ transaction }) => transaction?.id).length, 2);
      for (const event of events)
        assert.equal((event as { payment_service?: string }).payment_service, own.paymentServiceId);
    }
    assert.equal((await readAll({ app, server, user: operator }, 100)).events.length, 6);
  });

  test('shows the events of a user only to that user, and not to an operator', async () => {
    const app = createTestApp(await openTestDatabase());
    const [user, operator] = [await createTestUser(app), await createTestUser(app)];
    const event = { type: 'bank_account_validation.updated' as const, createdAt: app.now(), data: { id: 'bav_1' } };
    await app.db.transaction((tx) => recordUserEvent(tx, { userId: user.id, ...event }));
    await using server = await startTestServer(app);
    const { events } = await read({ app, server, user });
    assert.match(events[0]?.id ?? '', /^evt_[0-9a-f]{24}$/);
    assert.deepEqual(
      { ...events[0], id: '' },
      {
        id: '',
        type: 'bank_account_validation.updated',
        sequence: null,
        created_at: '2026-01-15T12:00:00.000Z',
        transaction: null,
        environment: null,
        payment_service: null,
        data: { id: 'bav_1' },
      },
    );
    assert.deepEqual((await read({ app, server, user: operator })).events, []);
  });

  test('reads a bounded part of the feed per request, and says when there is more', async () => {
    const app = createTestApp(await openTestDatabase());
    const [own, other] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const user = await createTestUser(app, { paymentServices: [own.paymentServiceId] });
    await createMany(app, 5_200, (reference) => createTestTransaction(app, other, { reference }));
    const { id } = await createTestTransaction(app, own);
    await using server = await startTestServer(app);
    const first = await read({ app, server, user });
    assert.deepEqual([first.events, first.has_more], [[], true]);
    const second = await read({ app, server, user }, `?after=${first.next}`);
    assert.deepEqual([idsOf(second.events), second.has_more], [[`evt_${id}_1`], false]);
  });

  test('never passes over an event whose commit is still under way', async () => {
    const db = await openTestDatabase();
    const apps = [createTestApp(db), createTestApp(await openTestDatabase({ url: db.url }))] as const;
    const user = await createTestUser(apps[0]);
    const record = { userId: user.id, type: 'bank_account_validation.updated' as const, createdAt: 0, data: {} };
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using server = await startTestServer(apps[0]);
    let recorded = () => {};
    const written = new Promise<void>((resolve) => {
      recorded = resolve;
    });
    const slow = apps[0].db.transaction(async (tx) => {
      await recordUserEvent(tx, record);
      recorded();
      await held;
    });
    await written;
    // SQLite has one writer, so there the second waits for the first; PostgreSQL commits it at once.
    const fast = apps[1].db.engine === 'postgres' ? apps[1].db.transaction((tx) => recordUserEvent(tx, record)) : null;
    await fast;
    const early = await readNow({ app: apps[0], server, user });
    assert.deepEqual(early.events, []);
    release();
    await slow;
    assert.equal(
      (await read({ app: apps[0], server, user }, `?after=${early.next}`)).events.length,
      fast === null ? 1 : 2,
    );
  });

  test('has the event of a commit that waited for its payment after the events that were committed meanwhile', async () => {
    const db = await openTestDatabase();
    const apps = [createTestApp(db), createTestApp(await openTestDatabase({ url: db.url }))] as const;
    const environment = await createTestEnvironment(apps[0]);
    const [one, other] = [
      await createTestTransaction(apps[0], environment, { reference: 'ONE' }),
      await createTestTransaction(apps[0], environment, { reference: 'OTHER' }),
    ];
    const user = await createTestUser(apps[0]);
    await using server = await startTestServer(apps[0]);
    const [isLocked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = apps[0].db.transaction(async (tx) => {
      await lockTransaction(tx, one);
      isLocked.resolve();
      await mayEnd.promise;
    });
    await isLocked.promise;
    const waiting = cancelTransaction(apps[0], one);
    await untilQueued(apps[0].db);
    // SQLite has one writer, so there this cancellation waits too.
    const meanwhile = cancelTransaction(apps[0], other);
    if (apps[0].db.engine === 'postgres') await meanwhile;
    mayEnd.resolve();
    await Promise.all([holding, waiting, meanwhile]);
    const cancelled = [`evt_${other.id}_2`, `evt_${one.id}_2`];
    const { events } = await read({ app: apps[0], server, user });
    assert.deepEqual(idsOf(events).slice(2), db.engine === 'postgres' ? cancelled : cancelled.toReversed());
  });

  // Places in the feed count the events of all users, so neither a cursor nor an id may show one.
  test('cursors and ids do not reveal how much happens to others, and cursors cannot be forged', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app);
    const event = { type: 'bank_account_validation.updated' as const, createdAt: app.now(), data: {} };
    for (let n = 0; n < 2; n++) await app.db.transaction((tx) => recordUserEvent(tx, { userId: user.id, ...event }));
    await using server = await startTestServer(app);
    const first = await read({ app, server, user }, '?limit=1');
    const second = await read({ app, server, user }, '?limit=2');
    const bytes = [first, second].map(({ next }) => Buffer.from(next, 'base64url'));
    const shared = bytes[0]?.filter((byte, at) => byte === bytes[1]?.[at]).length ?? 0;
    assert.ok(shared < 10, `${shared} of 34 bytes are the same`);
    // The same place has the same cursor, so a reader can tell that nothing was added.
    assert.equal((await read({ app, server, user }, '?limit=1')).next, first.next);
    const tried = Buffer.from('0.1').toString('base64url');
    assert.equal((await server.get(`/events?after=${tried}`, user.headers)).status, 400);
    const forged = Buffer.from(bytes[0] ?? []);
    forged.writeUInt8(forged.readUInt8(33) ^ 1, 33);
    assert.equal((await server.get(`/events?after=${forged.toString('base64url')}`, user.headers)).status, 400);
  });

  test('skips the events of other users without a statement for each of them', async () => {
    const app = createTestApp(await openTestDatabase());
    const [other, user] = [await createTestUser(app), await createTestUser(app)];
    const event = { type: 'bank_account_validation.updated' as const, createdAt: app.now(), data: {} };
    const record = (userId: string) => app.db.transaction((tx) => recordUserEvent(tx, { userId, ...event }));
    for (let n = 0; n < 10; n++) await record(other.id);
    await record(user.id);
    await untilVisible(app);
    const heard = listenToStatements(app);
    const page = await readFeed(heard.app, { id: user.id, environmentIds: null }, null, 1);
    assert.equal(page.events.length, 1);
    assert.equal(heard.all.filter(({ sql }) => sql.includes('{feed_order}')).length, 2);
  });

  test('accepts plain cursors from before cursors were sealed, and keeps the event ids of that time', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app);
    const event = { type: 'bank_account_validation.updated' as const, createdAt: app.now(), data: {} };
    for (let n = 0; n < 3; n++) await app.db.transaction((tx) => recordUserEvent(tx, { userId: user.id, ...event }));
    const rows = await app.db.query<{ commit_id: number; position: number }>(
      'select commit_id, position from events order by position',
    );
    const [first, second] = rows as [(typeof rows)[0], (typeof rows)[0]];
    await app.db.transaction((tx) =>
      tx.query('update plain_cursors set commit_id = $1, position = $2', [second.commit_id, second.position]),
    );
    await using server = await startTestServer(app);
    const plain = (place: typeof first) => Buffer.from(`${place.commit_id}.${place.position}`).toString('base64url');
    const { events } = await read({ app, server, user }, `?after=${plain(first)}`);
    assert.equal(events[0]?.id, `evt_${second.position}`);
    assert.match(events[1]?.id ?? '', /^evt_[0-9a-f]{24}$/);
    assert.equal(events.length, 2);
  });

  test('refuses an invalid cursor or limit', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    const text = (plain: string) => Buffer.from(plain).toString('base64url');
    const queries = [
      'after=1',
      `after=${text('1')}`,
      `after=${text('0.-1')}`,
      `after=${text('0.1 ')}`,
      `after=${text('0.1')}A`,
      `after=${text('0.1234567890123456')}`,
      `after=${text('0.1')}&after=${text('0.2')}`,
      'limit=0',
      'limit=501',
      'limit=-1',
      'limit=1.5',
      'limit=01',
      'limit=',
      'limit=1&limit=2',
    ];
    for (const query of queries) {
      const answer = await server.get(`/events?${query}`, user.headers);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_PARAMETER'], query);
    }
    assert.equal((await server.get('/events?after=1')).status, 401);
  });
});

async function createMany(app: TestApp, count: number, create: (reference: string) => Promise<unknown>): Promise<void> {
  const references = Array.from({ length: count }, (_, at) => `many-${at}`);
  while (references.length > 0) {
    await Promise.all(references.splice(0, 200).map(create));
    app.now.advance(1);
  }
}
