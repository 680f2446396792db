import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { startServe } from '../faults/support/serve-process.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { CANARY, FAILING_REFERENCE, prepareJourney, type Secrets, walk } from './canary-journey.ts';

/** Personal values, which like the secrets must not be in a log line, an error or a metric. */
const PERSONAL: Secrets = { ...CANARY };

/** The columns with personal data in docs/privacy.md. */
const DECLARED = [
  ...readFileSync(join(import.meta.dirname, '../../docs/privacy.md'), 'utf8').matchAll(/^\| `(\w+\.\w+)` \|/gm),
].map(([, column]) => column);

forEachEngine('a journey with canaries', (openTestDatabase, engine) => {
  test('leaves secrets nowhere, and personal data only in the columns that are declared', async (context) => {
    const db = await openTestDatabase();
    const masterKey = randomBytes(32).toString('hex');
    const { journey, log, files } = await serveAndWalk(context, db, masterKey);
    const secrets: Secrets = { ...journey.secrets, 'master key': masterKey };

    const told = { log, metrics: journey.metrics };
    assert.deepEqual(findIn(told, { ...secrets, ...PERSONAL, 'pay link': journey.paySecret }), []);
    assert.deepEqual(findIn(Object.fromEntries(journey.refusals.entries()), { ...secrets, ...PERSONAL }), []);
    assert.match(log, /"code":"INTERNAL".*planted/);
    assert.ok(journey.refusals.length > 50);

    const cells = await readCells(db);
    assert.deepEqual(findIn(cells, secrets), []);
    const found = findIn(cells, PERSONAL);
    assert.deepEqual(
      found.filter((place) => !DECLARED.includes(place.split(': ')[0])),
      [],
    );
    assert.ok(found.includes('transactions.customer_email: buyer') && found.includes('users.email: user'));
    if (engine === 'sqlite') {
      assert.ok(Object.keys(files).length >= 3, `the database, its log and a backup: ${Object.keys(files).join(', ')}`);
      const { rut, dottedRut, account } = PERSONAL;
      assert.deepEqual(findIn(files, { ...secrets, rut, dottedRut, account } as Secrets), []);
    }
  });
});

test('a canary is found in every encoding', () => {
  const secret = 'CANARY value+1';
  for (const text of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex'), btoa(secret)]) {
    assert.equal(findIn({ place: `a ${text} b` }, { secret }).length, 1, text);
  }
});

/**
 * Runs the journey against the service in a separate process. `files` are the files of the store while it is in use.
 */
async function serveAndWalk(context: TestContext, db: TestDatabase, masterKey: string) {
  const config = readConfig({ MASTER_KEY: masterKey, LOG_LEVEL: 'silent' });
  const prepared = await prepareJourney(createTestApp(db, { config, now: createTestClock(Date.now()) }));
  await breakStore(db);
  const settings = { MASTER_KEY: masterKey, LOG_LEVEL: 'trace', RATE_LIMITS: 'on' };
  const serve = await startServe({ databaseUrl: db.url, settings });
  context.after(() => serve.signal('SIGKILL'));
  const journey = await walk(context, serve.url, prepared);
  const files = db.engine === 'sqlite' ? await readStore(db) : {};
  serve.signal('SIGTERM');
  await serve.exited;
  return { journey, log: serve.output(), files };
}

/** Makes the store refuse `FAILING_REFERENCE`. The detail of PostgreSQL's error has the whole row. */
async function breakStore(db: Database): Promise<void> {
  const statement =
    db.engine === 'postgres'
      ? `alter table transactions add constraint planted check (reference <> '${FAILING_REFERENCE}')`
      : `create trigger planted before insert on transactions when new.reference = '${FAILING_REFERENCE}'
         begin select raise(abort, 'planted'); end`;
  await db.transaction((tx) => tx.query(statement));
}

async function readStore(db: TestDatabase): Promise<Record<string, string>> {
  const file = db.url.replace('sqlite:', '');
  await db.backup(`${file}.backup`);
  return Object.fromEntries(globSync(`${file}*`).map((path) => [path, readFileSync(path, 'latin1')]));
}

/** Returns everything in the store: the values of each column, by table and column. */
async function readCells(db: Database): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(
    db.engine === 'postgres'
      ? `select table_name as name from information_schema.tables where table_schema = 'public'`
      : `select name from sqlite_master where type = 'table'`,
  );
  const cells: Record<string, string> = {};
  for (const { name } of tables) {
    for (const row of await db.query(`select * from ${name}`)) {
      for (const [column, value] of Object.entries(row)) {
        const key = `${name}.${column}`;
        cells[key] = `${cells[key] ?? ''}\n${String(value)}`;
      }
    }
  }
  return cells;
}

/** Returns the places with any of the values, in any encoding, as `place: name of the value`. */
function findIn(places: Record<string, string>, values: Secrets): string[] {
  return Object.entries(places).flatMap(([place, text]) =>
    Object.entries(values)
      .filter(([, value]) => spellings(value).some((spelling) => text.includes(spelling)))
      .map(([name]) => `${place}: ${name}`),
  );
}

function spellings(value: string): string[] {
  const bytes = Buffer.from(value);
  const key = /^[0-9a-f]{64}$/.test(value) ? [Buffer.from(value, 'hex')] : [];
  return [
    value,
    encodeURIComponent(value),
    bytes.toString('hex'),
    ...[bytes, ...key].flatMap((each) => [
      each.toString('base64'),
      each.toString('base64url'),
      each.toString('latin1'),
    ]),
  ].map((text) => text.replace(/=+$/, ''));
}
