import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';

const parent = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
after(() => rmSync(parent, { recursive: true }));
const folder = join(parent, 'data');

/** Commands that read or change what exists: a person would take a new store for the one that is missing. */
const ABOUT_WHAT_EXISTS = [
  'books verify',
  'books head',
  'books balance',
  'audit verify',
  'audit list',
  'user list',
  'payment-service list',
  'transaction list',
  'transaction find 1001',
  'callback list',
  'refund list',
  'payout list',
  'settlement list',
  'statement list',
  'month show 2026-01',
  'attention list',
  'reconcile --date 2026-01-02',
  'release',
  'privacy erase --email ana@example.cl',
  'callback resend --state dead',
  'refund create 1001 --type total',
];

forEachEngine('a command about what exists', (openTestDatabase, engine) => {
  test('says that there is no store, and makes none', async () => {
    const db = await openTestDatabase({ migrated: false });
    const settings = { DATA_DIR: folder, ...(engine === 'postgres' && { DATABASE_URL: db.url }) };
    const backup = join(parent, 'backup.db');
    for (const line of [...ABOUT_WHAT_EXISTS, ...(engine === 'sqlite' ? [`backup ${backup}`] : [])]) {
      const { status, stdout, stderr } = await runCommand([...line.split(' '), '--json'], {
        env: { PATH: process.env.PATH, ...settings },
      });
      assert.equal(status, 1, line);
      assert.match(stderr, /^NO_STORE: .*DATABASE_URL or DATA_DIR .*bin\/rubrica serve\n$/, line);
      assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, 'NO_STORE', line);
      assert.ok(!existsSync(folder), `${line} leaves nothing in DATA_DIR`);
    }
    assert.ok(!existsSync(backup), 'no backup is made of nothing');
    const tables = await db.query("select 1 from {columns} as columns where table_name = 'schema_migrations'");
    assert.deepEqual(tables, []);
  });

  test('lists the banks of the release without a store', async () => {
    const db = await openTestDatabase({ migrated: false });
    const settings = { DATA_DIR: folder, ...(engine === 'postgres' && { DATABASE_URL: db.url }) };
    const { status, stdout } = await runCommand(['banks', 'list', '--json'], {
      env: { PATH: process.env.PATH, ...settings },
    });
    assert.equal(status, 0);
    assert.equal((JSON.parse(stdout) as { origin: string }).origin, 'release');
    assert.ok(!existsSync(folder));
  });
});
