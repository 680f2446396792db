import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';

/** Too long for a name, so no name server is asked. */
const NO_HOST = `${'x'.repeat(64)}.invalid`;

forEachEngine('a database that refuses a command', (openTestDatabase, engine) => {
  if (engine === 'sqlite') return;
  test('is reported with a code and what to change, whether the command reads or writes', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const [named] = await db.query<{ name: string }>('select current_database() as name');
    const crowd = `crowd_of_${named?.name}`;
    await db.query(`create role ${crowd} login connection limit 0`);
    const at = (change: (url: URL) => void) => {
      const url = new URL(db.url);
      change(url);
      return url.href;
    };
    for (const [url, says] of [
      [
        at((one) => (one.pathname = '/not_made')),
        /"not_made" does not exist: make it with createdb, or check the name/,
      ],
      [at((one) => (one.username = 'nobody')), /"nobody" does not exist: check the user in DATABASE_URL/],
      [at((one) => (one.hostname = NO_HOST)), /ENOTFOUND .*: check the host in DATABASE_URL/],
      [at((one) => (one.username = crowd)), /too many connections .*: raise max_connections .*DATABASE_CONNECTIONS/],
    ] as const) {
      for (const words of [
        ['user', 'list'],
        ['payment-service', 'create', '--name', 'Tienda'],
      ]) {
        const { status, stderr } = await runCommand(words, { env: { ...env, DATABASE_URL: url } });
        assert.equal(status, 1);
        assert.match(stderr, /^STORAGE_UNAVAILABLE: The database does not answer or refuses: /);
        assert.match(stderr, says);
        assert.equal(stderr.trim().split('\n').length, 1);
      }
      const { status, stdout } = await runCommand(['doctor'], { env: { ...env, DATABASE_URL: url } });
      assert.equal(status, 1);
      const [, fix = ''] = says.source.split(': ');
      assert.match(stdout, new RegExp(`PROBLEM  database .*\\n +${fix}`, 'i'));
    }
    await db.query(`drop role ${crowd}`);
  });
});
