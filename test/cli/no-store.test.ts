import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

  test('is not where a payment service moves to: a typing error in the settings file would lose its orders', async () => {
    const db = await openTestDatabase({ migrated: false });
    const run = async (...words: string[]) =>
      runCommand(words, {
        env: {
          PATH: process.env.PATH,
          DATA_DIR: join(parent, `source-${engine}`),
          PUBLIC_URL: 'https://one.example.cl',
        },
      });
    await run('ids', '--from', '1000000000');
    const made = await run('payment-service', 'create', '--name', 'Moves', '--json');
    const { id } = JSON.parse(made.stdout) as { id: string };
    const file = join(parent, `${engine}.env`);
    const url = engine === 'postgres' ? db.url : `sqlite:${join(folder, 'other.db')}`;
    writeFileSync(file, `DATABASE_URL=${url}\nMASTER_KEY=${'5a'.repeat(32)}\nPUBLIC_URL=https://two.example.cl\n`);
    for (const words of [[], ['--undo']]) {
      const { status, stderr } = await run('payment-service', 'move', id, '--to', file, ...words);
      assert.equal(status, 1);
      assert.match(stderr, /^NO_STORE: With the settings of \S+\.env: .*DATABASE_URL/);
      assert.ok(stderr.includes(file), stderr);
    }
    assert.ok(!existsSync(folder), 'nothing is left there');
    const tables = await db.query("select 1 from {columns} as columns where table_name = 'schema_migrations'");
    assert.deepEqual(tables, []);
    const listed = await run('payment-service', 'list', '--json');
    assert.match(listed.stdout, /"state":"enabled"/);
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
