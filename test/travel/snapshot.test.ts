import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { App } from '../../src/app.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { SqlRow } from '../../src/db/database.ts';
import { writeSnapshot } from '../../src/db/snapshot-store.ts';
import { watchStore } from '../../src/epochs/watch-store.ts';
import { keepProcess } from '../../src/health/keep-process.ts';
import { listProcesses } from '../../src/health/list-processes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { beginListening, takeNext } from '../../src/outbox/listeners/listen-for-callbacks.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { goBack, keepSnapshot } from '../../src/travel/snapshot.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const READER = { id: 'usr_reader', environmentIds: null };
/** Tables that differ after the return, because it is recorded in them. */
const WRITTEN = [
  'audit_log',
  'audit_head',
  'anchors',
  'epochs',
  'store_marks',
  'book_facts',
  'book_fact_heads',
  'seals',
];

forEachEngine('clock back', (openTestDatabase) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-snapshot-'));
  after(() => rmSync(folder, { recursive: true }));
  const down: App['fetch'] = async () => ({ kind: 'failed', reason: 'connect', detail: 'ECONNREFUSED', durationMs: 1 });
  const appOn = (db: TestDatabase) =>
    createTestApp(db, { now: Object.assign(systemClock(), { advance: () => {} }), fetch: down });

  test('restores every row, reuses no id, invalidates cursors of the feed, and stops a running service', async (t) => {
    const db = await openTestDatabase();
    const app = appOn(db);
    const dataDir = join(folder, db.engine);
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: dataDir, MASTER_KEY: '5a'.repeat(32) };
    const clock = async (...words: string[]) => {
      const { status, stdout, stderr } = await runCommand(['clock', ...words, '--json'], { env });
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout) as Record<string, number | boolean>;
    };
    const environment = await createTestEnvironment(app);
    const create = (reference: string) => createTestTransaction(app, environment, { reference });
    const paid = await create('ORD-PAID');
    await startPayment(app, paid, 'simulated');
    await create('ORD-OPEN');
    assert.match((await runCommand(['clock', 'back'], { env })).stderr, /^ALREADY_DONE: .*nothing to go back to/);
    const before = await rowsOf(db);

    assert.equal((await clock('advance', '31d'))['snapshot'], true);
    const late = await create('ORD-LATE');
    await untilVisible(app);
    const seen = await readFeed(app, READER, null, 100);
    assert.ok(seen.events.some(({ type }) => type === 'transaction.expired'));
    const stale: string[] = [];
    const watch = await watchStore(app, (error) => stale.push(error.message));
    t.after(() => watch.stop());

    await keepProcess(app);
    const { id: environmentId, paymentServiceId } = environment;
    const listener = await beginListening(app, { environmentId, paymentServiceId, replay: null }, TESTER);
    const back = await clock('back');
    assert.equal(back['ahead_ms'], 0);
    await assert.rejects(
      takeNext(app, listener, 0, () => false),
      { code: 'LISTENER_ENDED' },
    );
    assert.deepEqual(await listProcesses(app), [], 'no process that stops is listed as running');
    assert.deepEqual(differing(await rowsOf(db), before), []);
    assert.ok(await comesTrue(() => stale.length > 0), 'a running service notices that its store went back');
    assert.match(stale[0] ?? '', /another epoch has begun/);
    await assert.rejects(readFeed(app, READER, seen.next, 100), { code: 'CURSOR_BEFORE_RESTORE' });

    const restarted = appOn(db);
    const fresh = await createTestTransaction(restarted, environment, { reference: 'ORD-LATE' });
    assert.ok(fresh.id > late.id && fresh.id >= Number(back['first_transaction_id']), `${fresh.id} after ${late.id}`);
    await clock('advance', '31d');
    const ids = new Set(seen.events.map(({ id }) => id));
    const known = before.get('events')?.length ?? 0;
    const again = (await readFeed(restarted, READER, null, 100)).events.slice(known);
    assert.ok(again.some(({ type }) => type === 'transaction.expired'));
    assert.deepEqual(
      again.filter(({ id }) => ids.has(id)),
      [],
      'no event has the id of an earlier one',
    );
    assert.deepEqual((await verifyAudit(restarted)).findings, []);
    await assert.rejects(
      db.transaction((tx) => tx.query('delete from audit_log')),
      /append-only/,
    );
    await assert.rejects(
      db.transaction((tx) => tx.query('update callbacks set endpoint_id = 0')),
      /foreign key/i,
    );
  });

  test('restores texts with line separators', async () => {
    const db = await openTestDatabase();
    const app = appOn(db);
    await createTestEnvironment(app);
    await db.transaction((tx) => tx.query('update payment_services set name = $1', ['Tienda \u2028 de\u2029Ana']));
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: join(folder, `${db.engine}-lines`) };
    const clock = async (word: string, ...by: string[]) =>
      runCommand(['clock', word, ...by], { env: { ...env, MASTER_KEY: '5a'.repeat(32) } });
    assert.equal((await clock('advance', '1d')).stderr, '');
    const before = await rowsOf(db);
    const back = await clock('back');
    assert.equal(back.stderr, '');
    assert.match(back.stdout, /^The store is as it was before the last clock advance, in real time\. A running/);
    assert.deepEqual(differing(await rowsOf(db), before), []);
  });

  test('refuses a truncated snapshot and changes nothing', async () => {
    const db = await openTestDatabase();
    const app = appOn(db);
    await createTestEnvironment(app);
    const moved = { ...app, config: { ...app.config, dataDir: join(folder, `${db.engine}-cut`) } };
    assert.equal(await keepSnapshot(moved), true);
    const [name = ''] = readdirSync(moved.config.dataDir);
    const file = join(moved.config.dataDir, name);
    const whole = readFileSync(file, 'utf8');
    const lines = whole.split('\n');
    const before = await rowsOf(db);
    const cuts = [
      whole.slice(0, -30),
      lines.slice(0, -2).join('\n'),
      lines.slice(0, -3).join('\n'),
      '',
      '{"sn',
      'null\n',
    ];
    for (const cut of cuts) {
      writeFileSync(file, cut);
      assert.deepEqual(await goBack(moved, TESTER), { kind: 'damaged' });
      assert.deepEqual(differing(await rowsOf(db), before), []);
    }
  });

  test('refuses a snapshot of another version, and takes none of a store with too many rows', async () => {
    const db = await openTestDatabase();
    const app = appOn(db);
    await createTestTransaction(app, await createTestEnvironment(app));
    const dataDir = join(folder, `${db.engine}-other`);
    const env = { ...process.env, DATABASE_URL: db.url, DATA_DIR: dataDir, MASTER_KEY: '5a'.repeat(32) };
    assert.equal((await runCommand(['clock', 'advance', '31d'], { env })).status, 0);
    const file = join(dataDir, readdirSync(dataDir).find((name) => name.endsWith('.snapshot')) ?? '');
    const kept = readFileSync(file, 'utf8');
    writeFileSync(file, kept.replace('"0001-initial.sql"', '"0001-another.sql"'));
    const before = await rowsOf(db);
    const refused = await runCommand(['clock', 'back'], { env });
    assert.match(refused.stderr, /^FILE_UNUSABLE: .*another version/);
    assert.deepEqual(differing(await rowsOf(db), before), []);
    assert.equal(await writeSnapshot(db, file, {}, 5), null);
    assert.ok(!existsSync(file), 'the last snapshot is removed');
  });
});

/** Returns the rows of every table, in an order that does not depend on the engine. */
async function rowsOf(db: TestDatabase): Promise<Map<string, string[]>> {
  const columns = await db.query<{ table_name: string }>('select distinct table_name from {columns} as columns');
  const tables = columns.map(({ table_name }) => table_name).filter((name) => !isLeftOut(name));
  const rows = new Map<string, string[]>();
  for (const table of tables.sort()) {
    const found = await db.query<SqlRow>(`select * from ${table}`);
    rows.set(table, found.map((row) => JSON.stringify(Object.entries(row))).sort());
  }
  return rows;
}

/** Returns the names of the tables that differ. */
function differing(one: ReadonlyMap<string, string[]>, other: ReadonlyMap<string, string[]>): string[] {
  return [...one.keys()].filter((table) => String(one.get(table)) !== String(other.get(table)));
}

function isLeftOut(table: string): boolean {
  return (
    ['id_blocks', 'kept_keys', 'processes', 'sqlite_sequence', ...WRITTEN].includes(table) || table.startsWith('pg_')
  );
}
