import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { MASTER_KEY, startServe } from '../faults/support/serve-process.ts';
import { type Ended, runChild } from '../support/child-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { makeVersion } from '../support/program-version.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestUser } from '../support/test-user.ts';

const ROLLING = '-- rolling: yes\ncreate table notes (id bigint);\n';
const NOT_ROLLING = 'alter table refunds rename to given_back;\n';

const ADDS = { '9998-notes.sql': ROLLING };
const CHANGES = { ...ADDS, '9999-refunds.sql': NOT_ROLLING };
const next = makeVersion();
after(() => next.remove());

forEachEngine('the next version beside this one', (openTestDatabase, engine) => {
  test('lets this one run after migrations that only add, and stops it with the reason after others', async () => {
    const { url } = await openTestDatabase();
    await using service = await startServe({ databaseUrl: url });
    assert.deepEqual(await migrate(next.have(ADDS), url), ['9998-notes.sql']);
    assert.equal((await runThis(url, 'user', 'list')).status, 0);
    // An embedded store allows only one service.
    await using beside = engine === 'postgres' ? await startServe({ databaseUrl: url }) : service;
    assert.equal((await fetch(`${beside.url}/readyz`)).status, 200);
    assert.deepEqual(await migrate(next.have(CHANGES), url), ['9999-refunds.sql']);
    for (const older of new Set([service, beside])) {
      assert.deepEqual(await older.exited, { status: 70, signal: null });
      assert.match(
        older.output(),
        /"alarm":"unfit_for_store".*A newer version has changed the store \(9999-refunds\.sql\)/,
      );
      assert.match(older.output(), /"msg":"stopped"/);
    }
  });

  test('refuses a store without its migrations, and this one refuses a store with them', async () => {
    const { url } = await openTestDatabase();
    const early = await run(next.have(CHANGES), url, 'user', 'list');
    assert.equal(early.status, 1);
    assert.match(
      early.stderr,
      /^SCHEMA_BEHIND: .* lacks 9998-notes\.sql, 9999-refunds\.sql: run bin\/rubrica migrate\.$/m,
    );
    await using _next = await startServe({ databaseUrl: url, program: next.folder });
    for (const command of ['serve', 'migrate', 'user list', 'refund list']) {
      const refused = await runThis(url, ...command.split(' '));
      // On an embedded store the running service is refused first.
      const isHeld = command === 'serve' && engine === 'sqlite';
      assert.match(refused.stderr, isHeld ? /^ALREADY_SERVED/ : /^SCHEMA_NEWER: /);
      assert.equal(
        refused.status,
        command === 'serve' && !isHeld ? 78 : 1,
        'status 78 keeps a supervisor from starting serve again',
      );
    }
  });

  test('migrates nothing with another master key, so that this one runs on', async () => {
    const { url } = await openTestDatabase();
    await runThis(url, 'payment-service', 'create', '--name', 'Shop');
    const folder = next.have(CHANGES);
    for (const command of ['migrate', 'serve']) {
      const env = { ...environmentOf(url), MASTER_KEY: '0b'.repeat(32) };
      const refused = await runChild('node', [join(folder, 'src/main.ts'), command], { env });
      assert.equal(refused.status, 1);
      assert.match(
        refused.stderr,
        /^INVALID_SETTING: The stored Secret Tokens were encrypted with a different master/m,
      );
    }
    assert.equal((await runThis(url, 'payment-service', 'list')).status, 0);
  });

  test('has its migrations reported by doctor', async () => {
    const { url } = await openTestDatabase();
    await migrate(next.have(ADDS), url);
    assert.match((await runThis(url, 'doctor')).stdout, /^OK {7}schema .*added 9998-notes\.sql/m);
    await migrate(next.have(CHANGES), url);
    assert.match((await runThis(url, 'doctor')).stdout, /^PROBLEM {2}schema .*belongs to another version$/m);
  });
});

forEachEngine('a migration that was killed before the audit log had it', (openTestDatabase) => {
  test('is recorded by the next start, so that books verify knows which rows are older than its columns', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const { id } = await createTestUser(app);
    await makeApiToken(app, id, { name: 'till 4', expiresAt: null }, TESTER);
    await db.transaction((tx) => tx.query('update api_tokens set created_by = null'));
    assert.deepEqual(
      (await verifyStore(app)).findings.map(({ says }) => says.replace(/tok_\w+/, 'T').slice(0, 28)),
      ['API token T: created_by was ', 'API token T: created_by was '],
    );
    for (let start = 0; start < 2; start++) assert.equal((await runThis(db.url, 'migrate')).status, 0);
    assert.deepEqual((await verifyStore(app)).findings, []);
    const acts = await db.query(`select said_after from audit_log where action = 'store.migrated'`);
    assert.equal(acts.length, 1);
    const { applied } = JSON.parse(String(acts[0]?.['said_after'])) as { applied: string[] };
    assert.ok(applied.includes('0062-makers-of-api-tokens.sql'));
    assert.ok(!applied.includes('0001-initial.sql'), 'the store may be older than its audit log');
  });
});

async function migrate(folder: string, url: string): Promise<string[]> {
  const { status, stdout, stderr } = await run(folder, url, 'migrate', '--json');
  assert.equal(status, 0, stderr);
  return (JSON.parse(stdout) as { applied: string[] }).applied;
}

/** Runs a command of this version, in the shared process. */
function runThis(url: string, ...words: string[]): Promise<Ended> {
  return runCommand(words, { env: environmentOf(url) });
}

function run(folder: string, url: string, ...words: string[]): Promise<Ended> {
  return runChild('node', [join(folder, 'src/main.ts'), ...words], { env: environmentOf(url) });
}

function environmentOf(url: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], DATABASE_URL: url, MASTER_KEY, PORT: '0' };
}
