import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { migrate, pendingMigrations, splitStatements } from '../../src/db/migrate.ts';
import { forEachEngine } from '../support/engines.ts';

forEachEngine('migrations', (openTestDatabase) => {
  test('run once and say what they did', async () => {
    const db = await openTestDatabase({ migrated: false });
    const pending = await pendingMigrations(db);
    assert.ok(pending.length > 0);
    assert.deepEqual(await migrate(db), pending);
    assert.deepEqual(await migrate(db), []);
    assert.deepEqual(await pendingMigrations(db), []);
  });

  test('run once when two processes start together', async () => {
    const db = await openTestDatabase({ migrated: false });
    const pending = await pendingMigrations(db);
    const applied = await Promise.all([migrateInAnotherProcess(db.url), migrateInAnotherProcess(db.url)]);
    assert.deepEqual(applied.flat().sort(), pending);
  });
});

test('a migration is split at semicolons that end a line', () => {
  const text = `-- first;\ncreate table a (\n  x text default ';' -- kept\n);\n\n  -- second\ninsert into a values (';x');\nselect 1`;
  assert.deepEqual(splitStatements(text), [
    "create table a (\n  x text default ';' -- kept\n)",
    "insert into a values (';x')",
    'select 1',
  ]);
});

async function migrateInAnotherProcess(url: string): Promise<string[]> {
  const program = `
    import { migrate } from './migrate.ts';
    import { openDatabase } from './open-database.ts';
    const db = openDatabase(${JSON.stringify(url)}, { connections: 1, pooler: false, onFatal: () => {} });
    console.log(JSON.stringify(await migrate(db)));
    await db.close();
  `;
  const cwd = join(import.meta.dirname, '../../src/db');
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd });
  return JSON.parse(stdout) as string[];
}
