import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';

forEachEngine('a store that takes no change', (openTestDatabase, engine) => {
  test('does not undo a backup or what books verify found: both say that it does not know of it', async (context) => {
    const db = await openTestDatabase();
    const { folder, env } = commandStore(context, db);
    const run = (...words: string[]) => runCommand(words, { env });
    assert.equal((await run('payment-service', 'create', '--name', 'Tienda')).status, 0);
    const copy = join(folder, 'copy.db');
    const refused = async () => {
      const verified = await run('books', 'verify', '--json');
      const { status, stderr } = await run('user', 'create', 'ana@example.cl');
      assert.equal(status, 1);
      const fix = engine === 'sqlite' ? /database is locked/ : /: let DATABASE_URL name the primary/;
      assert.match(stderr, new RegExp(`^STORAGE_UNAVAILABLE: .*${fix.source}`));
      if (engine === 'postgres')
        assert.deepEqual(await problems(), ['takes no changes: it is read-only, as a standby is']);
      return [verified, ...(engine === 'sqlite' ? [await run('backup', copy, '--json')] : [])];
    };
    const problems = async () => {
      const { findings } = JSON.parse((await run('doctor', '--json')).stdout) as { findings: Record<string, string>[] };
      return findings.filter(({ check, fix }) => check === 'database' && fix !== null).map((one) => one['says']);
    };
    const says = /^The store could not record it \(STORAGE_UNAVAILABLE\), so doctor does not know of it: .* again\.\n$/;
    for (const { status, stdout, stderr } of await whileReadOnly(refused)) {
      assert.equal(status, 0, stderr);
      assert.match(stderr, says);
      const { ok, file } = JSON.parse(stdout) as { ok?: boolean; file?: string };
      assert.ok(ok === true || file === copy, stdout);
      if (file === copy) assert.match(stderr, /bin\/rubrica backup-made --at \d{4}-\d\d-\d\dT\d\d:\d\dZ, once/);
    }
    const { findings } = JSON.parse((await run('doctor', '--json')).stdout) as { findings: Record<string, string>[] };
    const known = findings.filter(({ check }) => check === 'books' || check === 'backup').map((one) => one['says']);
    assert.match(known.join(), /no backup yet.*not verified yet/);
    assert.deepEqual(await problems(), []);
    if (engine === 'sqlite') assert.equal((await run('restore', copy)).status, 0);

    /** On SQLite another writer holds the store; on PostgreSQL it is read-only, as a standby. */
    async function whileReadOnly<Result>(work: () => Promise<Result>): Promise<Result> {
      if (engine === 'sqlite') return db.transaction(work);
      const [named] = await db.query<{ name: string }>('select current_database() as name');
      const set = (to: string) => db.query(`alter database "${named?.name}" set default_transaction_read_only = ${to}`);
      await set('on');
      const result = await work();
      await set('off');
      return result;
    }
  });
});
