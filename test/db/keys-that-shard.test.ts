import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import type { Database, SqlRow } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { readMigrations } from '../../src/db/schema.ts';
import { raiseCounter } from '../../src/epochs/epoch-queries.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { addEvents, beginLinkHash, FEED_GENESIS } from '../../src/outbox/feed/feed-link.ts';
import { type FeedRow, selectFeedPlace, updateFeedOffset } from '../../src/outbox/feed/feed-queries.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { recordUserEvent } from '../../src/outbox/record-event.ts';
import { findEnvironmentById } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { fillStore } from '../support/full-store.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, looseKeys } from '../support/test-books.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const MIGRATIONS = readMigrations(join(import.meta.dirname, '../../migrations'));
const THE_ONE = MIGRATIONS.findIndex(({ name }) => name.startsWith('0024-'));

/** The tables whose keys change, and the tables that get an environment. */
const TABLES = [
  'transactions',
  'events',
  'payment_attempts',
  'refunds',
  'callbacks',
  'delivery_attempts',
  'movements',
  'journal_entries',
  'payment_decisions',
  'refund_decisions',
  'imported_payments',
  'endpoints',
];

forEachEngine('a store from before keys included the environment', (openTestDatabase, engine) => {
  test('keeps every row after the migration, under the environment of its transaction, and verifies', async () => {
    const { made, older } = await openOlder(openTestDatabase);
    const before = await rowsOf(older.db);
    await upgrade(older);
    const after = await rowsOf(older.db);
    for (const table of TABLES) {
      const expected = await made.db.query(`select * from ${table}`);
      assert.ok(before[table]?.length, `${table} had rows`);
      assert.deepEqual(sorted(after[table]), sorted(expected), table);
    }
    const found = await verifyStore(older);
    assert.ok(found.ok, JSON.stringify([found.problems, found.records, found.balances, found.findings]));
    assert.ok(found.callbacks > 0 && found.facts > 0 && found.feed.sealed > 0);
  });

  test('keeps its cursors, its ids, and counters that were ahead of their rows', async () => {
    const { older, environment } = await openOlder(openTestDatabase);
    const everyone = { id: 'nobody', environmentIds: null };
    if (engine === 'postgres') {
      await older.db.transaction(async (tx) => updateFeedOffset(tx, (await selectFeedPlace(tx)).newest + 1000));
    }
    await older.db.transaction(async (tx) => {
      await raiseCounter(tx, engine, 'events', 5000);
      await raiseCounter(tx, engine, 'callbacks', 7000);
    });
    await upgrade(older);
    const first = await readFeed(older, everyone, null, 1000);
    const paid = await createPaidTransaction(older, environment);
    await untilVisible(older);
    const { events } = await readFeed(older, everyone, first.next, 1000);
    assert.deepEqual(
      events.map(({ type, transaction }) => [type, transaction?.id]),
      [
        ['transaction.created', paid.id],
        ['transaction.completed', paid.id],
      ],
    );
    const ends = 'select max(position) as position, (select max(id) from callbacks) as callback from events';
    const [end] = await older.db.query<{ position: number; callback: number }>(ends);
    assert.ok(end !== undefined && end.position >= 5000 && end.callback >= 7000, JSON.stringify(end));
    await sealFeed(older);
    assert.ok((await verifyStore(older)).ok);
  });

  test('still refuses changes to append-only rows, and duplicates', async () => {
    const { older } = await openOlder(openTestDatabase);
    await migrate(older.db);
    const refused = [
      'events',
      'movements',
      'journal_entries',
      'payment_decisions',
      'refund_decisions',
      'imported_payments',
    ];
    for (const table of refused) {
      for (const sql of [`update ${table} set environment_id = environment_id`, `delete from ${table}`]) {
        await assert.rejects(
          older.db.transaction((tx) => tx.query(sql)),
          /append-only/,
          sql,
        );
      }
    }
    for (const table of ['payment_attempts', 'refunds', 'callbacks']) {
      const [row] = await older.db.query<SqlRow>(`select * from ${table} limit 1`);
      const columns = Object.keys(row as SqlRow);
      const again = older.db.transaction((tx) => tx.insertRows({ name: table, columns }, [row as SqlRow]));
      await assert.rejects(again, /UNIQUE|unique/, table);
    }
  });
});

test('an event without an environment keeps its earlier hash, so that sealed links stay valid', () => {
  const row: FeedRow = {
    commit_id: 7,
    position: 8,
    environment_id: 0,
    transaction_id: null,
    sequence: null,
    created_at: 9,
    type: 'bank_account_validation.updated',
    user_id: 'us_1',
    data: '{}',
  };
  const hash = beginLinkHash(FEED_GENESIS);
  addEvents(hash, [row]);
  const line = '[7,8,null,null,null,9,"bank_account_validation.updated","us_1","{}"]';
  assert.equal(hash.digest('hex'), createHash('sha256').update(`${FEED_GENESIS}\n${line}\n`).digest('hex'));
});

/** Opens a full store of this version, and a store of the previous schema with the same rows. */
async function openOlder(openTestDatabase: OpenTestDatabase) {
  const { app: made, one } = await fillStore(
    createTestApp(await openTestDatabase(), {
      fetch: async () => ({ kind: 'answered', status: 200, retryAfter: null, excerpt: 'OK', durationMs: 1 }),
    }),
  );
  const environment = (await findEnvironmentById(made, one.id)) as ServiceEnvironment;
  await leaveSomethingOpen(made, environment);
  const db = await openTestDatabase({ migrated: false });
  await migrate(db, MIGRATIONS.slice(0, THE_ONE));
  await copyRows(made.db, db);
  return { made, older: createTestApp(db, { now: made.now }), environment };
}

/** Migrates as `serve` does: the audit log says that this store is older than its acts. */
async function upgrade(older: TestApp): Promise<void> {
  await migrate(older.db);
  older.now.advance(1);
  const act = { at: older.now(), by: TESTER, action: 'store.migrated', subject: { kind: 'store', id: '' } } as const;
  await older.db.transaction((tx) => recordAudit(tx, { ...act, after: { applied: [] } }));
}

/** Adds deliveries, an open attempt, a decision about another attempt, and an event of a user. */
async function leaveSomethingOpen(app: TestApp, environment: ServiceEnvironment): Promise<void> {
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
  const open = await createTestTransaction(app, environment, { reference: 'OPEN-1' });
  const ended = await createTestTransaction(app, environment, { reference: 'OPEN-2' });
  await app.db.transaction(async (tx) => {
    await tx.query(
      `insert into payment_attempts (id, environment_id, transaction_id, created_at, next_lookup_at, lookups, state,
         payment_method)
       values ('pa_open', $1, $2, 1, 2, 3, 'unknown', 'simulated'), ('pa_ended', $1, $3, 1, 2, 3, 'unknown', 'simulated')`,
      [environment.id, open.id, ended.id],
    );
    await recordUserEvent(tx, {
      userId: 'us_1',
      type: 'bank_account_validation.updated',
      createdAt: app.now(),
      data: { id: 'va_1' },
    });
  });
  const evidence = describeEvidence('portal.csv', Buffer.from('1'));
  const decision = { outcome: 'declined' as const, taken: null, reason: 'seen in the portal', evidence };
  await decidePayment(app, 'pa_ended', { ...decision, by: TESTER });
  await untilVisible(app);
  await sealFeed(app);
}

/** Copies the columns that both stores have. An event without an environment gets null there. */
async function copyRows(from: Database, to: Database): Promise<void> {
  const [columns, made] = [await columnsOf(to), await columnsOf(from)];
  await to.transaction(async (tx) => {
    await looseKeys(to, tx);
    for (const [table, older] of columns) {
      const names = older.filter((column) => made.get(table)?.includes(column));
      if (table === 'schema_migrations' || names.length === 0) continue;
      // A later migration creates the counter of environments.
      const known = table === 'id_blocks' ? `where name <> 'environment'` : '';
      const rows = await from.query<SqlRow>(`select ${names.join(', ')} from ${table} ${known}`);
      const copied = rows.map((row) =>
        table === 'events' && row['environment_id'] === 0 ? { ...row, environment_id: null } : row,
      );
      if (ONE_ROW.includes(table)) await tx.query(`delete from ${table}`);
      await tx.insertRows({ name: table, columns: names }, copied);
    }
  });
}

/** The tables with a row in a new store. */
const ONE_ROW = ['id_blocks', 'feed_offset', 'store_marks', 'anchor_posts'];

async function columnsOf(db: Database): Promise<Map<string, string[]>> {
  const rows = await db.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from {columns} as columns where table_name not like 'sqlite%'`,
  );
  const byTable = Map.groupBy(rows, ({ table_name }) => table_name);
  return new Map([...byTable].map(([table, of]) => [table, of.map(({ column_name }) => column_name)]));
}

async function rowsOf(db: Database): Promise<Record<string, SqlRow[]>> {
  return Object.fromEntries(
    await Promise.all(TABLES.map(async (table) => [table, await db.query<SqlRow>(`select * from ${table}`)] as const)),
  );
}

function sorted(rows: readonly SqlRow[] = []): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))).sort();
}
