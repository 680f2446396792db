import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openDatabase } from '../../src/db/open-database.ts';
import { forEachEngine } from '../support/engines.ts';

forEachEngine('a session of the store', (openTestDatabase, engine) => {
  if (engine === 'sqlite') {
    test('flushes each commit', async () => {
      const db = await openTestDatabase();
      const [row] = await db.transaction((tx) => tx.query('pragma synchronous'));
      assert.deepEqual({ ...row }, { synchronous: 2 });
    });
    return;
  }

  /** Opens a database whose sessions begin with a setting. */
  async function openWith(setting: string, value: string, pooler: boolean) {
    const db = await openTestDatabase();
    const name = new URL(db.url).pathname.slice(1);
    await db.query(`alter database ${name} set ${setting} = '${value}'`);
    const opened = openDatabase(db.url, { connections: 4, pooler, onFatal: () => {} });
    const close = async () => {
      await opened.close();
      await db.close();
    };
    return { ...opened, [Symbol.asyncDispose]: close };
  }

  test('gives a read outside a transaction its own time limit', async () => {
    const { url } = await openTestDatabase();
    const open = (readsWithinMs: number) =>
      openDatabase(url, { connections: 1, pooler: false, readsWithinMs, onFatal: () => {} });
    const [hasty, patient] = [open(1), open(3_600_000)];
    const sleep = (db: typeof hasty) => db.query<{ slept: number }>('select 1 as slept, pg_sleep(1)');
    await assert.rejects(sleep(hasty), { code: 'STORAGE_UNAVAILABLE' });
    assert.equal((await sleep(patient))[0]?.slept, 1);
    // A transaction keeps its own time-out, because a lost connection would hold its locks.
    assert.equal((await hasty.transaction((tx) => tx.query('select 1 as one'))).length, 1);
    await Promise.all([hasty.close(), patient.close()]);
  });

  for (const pooler of [false, true]) {
    describe(pooler ? 'behind a pooler' : 'without a pooler', () => {
      for (const [set, inForce] of [
        ['off', 'on'],
        ['local', 'on'],
        ['remote_write', 'on'],
        ['on', 'on'],
        ['remote_apply', 'remote_apply'],
      ] as const) {
        test(`uses synchronous_commit ${inForce} when the server is set to ${set}`, async () => {
          await using db = await openWith('synchronous_commit', set, pooler);
          const ask = () =>
            db.transaction((tx) =>
              tx.query<{ value: string }>("select current_setting('synchronous_commit') as value"),
            );
          for (const rows of await Promise.all(Array.from({ length: 8 }, ask))) assert.equal(rows[0]?.value, inForce);
        });
      }

      test('uses read committed when the server is set to serializable', async () => {
        await using db = await openWith('default_transaction_isolation', 'serializable', pooler);
        const ask = () =>
          db.transaction((tx) =>
            tx.query<{ value: string }>("select current_setting('transaction_isolation') as value"),
          );
        for (const rows of await Promise.all(Array.from({ length: 8 }, ask)))
          assert.equal(rows[0]?.value, 'read committed');
      });

      test('leaves a server that refuses changes, such as a former primary, with its next connection', async () => {
        await using db = await openWith('default_transaction_read_only', 'on', pooler);
        const [named] = await db.query<{ name: string }>('select current_database() as name');
        const admin = await openTestDatabase();
        await admin.query(`alter database ${named?.name} set default_transaction_read_only = off`);
        const change = () => db.transaction((tx) => tx.query('update store_marks set beat = beat returning beat'));
        await assert.rejects(change(), { code: 'STORAGE_UNAVAILABLE' });
        assert.equal((await change()).length, 1);
      });

      for (const code of ['40001', '40P01']) {
        test(`repeats a transaction that fails with ${code}, and gives up after ten runs with nothing stored`, async () => {
          await using db = await openWith('application_name', 'rubrica', pooler);
          const lose = `do $$ begin raise exception 'again' using errcode = '${code}'; end $$`;
          let runs = 0;
          const winAt = (run: number) =>
            db.transaction(async (tx) => {
              runs++;
              if (runs < run) await tx.query(lose);
              return tx.query('select 1 as won');
            });
          assert.deepEqual(await winAt(8), [{ won: 1 }]);
          assert.equal(runs, 8);
          runs = 0;
          await assert.rejects(winAt(100), { code: 'STORAGE_UNAVAILABLE' });
          assert.equal(runs, 10);
        });
      }
    });
  }
});
