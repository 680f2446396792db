import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { writeMark } from '../../src/epochs/mark-file.ts';
import { startServe } from '../faults/support/serve-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { startTestService } from '../support/test-service.ts';

/** A command that may be the first one of an installation. */
const CREATE = ['payment-service', 'create', '--name', 'Shop'];

forEachEngine('a service whose store goes back', (openTestDatabase, engine) => {
  test('stops with an alarm in its log that says so, once', async () => {
    const db = await openTestDatabase();
    await using service = await startServe({ databaseUrl: db.url });
    await db.transaction((tx) => tx.query('update store_marks set beat = -1'));
    assert.deepEqual(await service.exited, { status: 70, signal: null });
    const said = service.output().match(/.*the store has gone back.*/g) ?? [];
    assert.equal(said.length, 1);
    assert.equal((JSON.parse(said[0] ?? '') as { alarm: string }).alarm, 'unfit_for_store');
  });

  /** Returns the settings of a service that has seen a store in this database. */
  async function seenIn(context: TestContext, databaseUrl: string) {
    const dataDir = mkdtempSync(join(tmpdir(), 'rubrica-emptied-'));
    context.after(() => rmSync(dataDir, { recursive: true }));
    const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, MASTER_KEY: '5a'.repeat(32) };
    const seen = { store: 'before', beat: 7, epoch: 0, transactions: 2001, events: 5, callbacks: 0, at: 0 };
    await writeMark(readConfig(env), seen);
    return env;
  }

  /** Returns what doctor says of the database, with the fix: the rest is about a store that nobody shall use. */
  async function diagnosis(env: Record<string, string>): Promise<string[]> {
    const { status, stdout } = await runCommand(['doctor', '--json'], { env: { ...process.env, ...env } });
    assert.equal(status, 1);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; says: string; fix: string | null }[] };
    return findings.flatMap(({ check, says, fix }) =>
      check === 'database' && fix !== null ? [says, fix.split('.')[0] ?? ''] : [],
    );
  }
  const IS_GONE = 'serve does not start on it';
  const EARLIER = 'which had given out transaction ids up to 2000 at 1969-12-31 21:00:00 -03:00';

  test('and was emptied does not start, nor does a command that could make or restore it, and it stays empty', async (context) => {
    const db = await openTestDatabase({ migrated: false });
    const env = await seenIn(context, db.url);
    const starting = startTestService(context, db.url, { DATA_DIR: env.DATA_DIR });
    await assert.rejects(starting, { code: 'STORE_IS_OLDER', message: /^This is not the store that was here before/ });
    for (const words of [['migrate'], CREATE]) {
      const { status, stderr } = await runCommand(words, { env: { ...process.env, ...env } });
      assert.deepEqual([status, stderr.split(':')[0]], [78, 'STORE_IS_OLDER'], words.join(' '));
    }
    const begun = await runCommand(['after-restore'], { env: { ...process.env, ...env } });
    assert.deepEqual([begun.status, begun.stderr.split(':')[0]], [1, 'NO_STORE']);
    assert.deepEqual(await diagnosis(env), [IS_GONE, `This is not the store that was here before, ${EARLIER}`]);
    assert.deepEqual(await db.query('select table_name from {columns} as columns'), []);
  });

  test('and is still there is migrated: a person may do that before after-restore', async (context) => {
    const db = await openTestDatabase();
    const env = await seenIn(context, db.url);
    const { status, stdout } = await runCommand(['migrate'], { env: { ...process.env, ...env } });
    assert.deepEqual([status, stdout], [0, 'The schema is up to date.\n']);
  });

  test('and is still there takes no act of a command until after-restore, because payouts would leave twice', async (context) => {
    const db = await openTestDatabase();
    const env = await seenIn(context, db.url);
    const run = async (words: readonly string[]) => {
      const { status, stderr } = await runCommand(words, { env: { ...process.env, ...env } });
      return [status, stderr.split(':')[0]];
    };
    const file = ['payout', 'file', '--payment-service', 'ps_x', '--format', 'santander', '--account', '123456789'];
    const refused = [78, 'STORE_IS_OLDER'];
    for (const words of [CREATE, ['books', 'anchor'], file])
      assert.deepEqual(await run(words), refused, words.join(' '));
    assert.deepEqual(await db.query('select id from payment_services'), []);
    assert.deepEqual(await run(['audit', 'list']), [0, '']);
    assert.deepEqual(await diagnosis(env), [IS_GONE, `This is not the store that was here before, ${EARLIER}`]);
    assert.deepEqual(await run(['after-restore']), [0, '']);
    assert.deepEqual(await diagnosis(env), []);
    assert.deepEqual(await run(CREATE), [0, '']);
  });

  test('is restored with a word on it if the backup is of another installation, and without one the next time', async (context) => {
    const db = await openTestDatabase();
    const { DATA_DIR, ...rest } = await seenIn(context, db.url);
    await db.transaction((tx) => tx.query(`update store_marks set store_id = 'another'`));
    const env = { ...process.env, ...rest, DATA_DIR };
    const backup = join(DATA_DIR, 'backup.db');
    if (engine === 'sqlite') await runCommand(['backup', backup], { env });
    const words = engine === 'sqlite' ? ['restore', backup] : ['after-restore'];
    const { stdout } = await runCommand(words, { env });
    assert.match(
      stdout,
      /This is not the store that was here before, which had given out transaction ids up to 2000 at .* If you meant another backup, restore that one before the release\.$/m,
    );
    const again = await runCommand(['after-restore', '--json'], { env });
    assert.equal((JSON.parse(again.stdout) as { other_store: boolean }).other_store, false);
  });

  if (engine === 'sqlite') {
    test('and lost its file leaves no new one', async (context) => {
      const folder = mkdtempSync(join(tmpdir(), 'rubrica-lost-'));
      context.after(() => rmSync(folder, { recursive: true }));
      const env = await seenIn(context, `sqlite:${join(folder, 'store.db')}`);
      const starting = startTestService(context, env.DATABASE_URL, { DATA_DIR: env.DATA_DIR });
      await assert.rejects(starting, { code: 'STORE_IS_OLDER' });
      for (const words of [['migrate'], ['after-restore'], CREATE]) {
        const { status } = await runCommand(words, { env: { ...process.env, ...env } });
        assert.notEqual(status, 0, words.join(' '));
      }
      assert.deepEqual(await diagnosis(env), [IS_GONE, `This is not the store that was here before, ${EARLIER}`]);
      assert.deepEqual(readdirSync(folder), []);
    });
  }
});
