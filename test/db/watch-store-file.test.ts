import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { StorageError } from '../../src/db/database.ts';
import { openSqliteDatabase } from '../../src/db/sqlite-database.ts';
import { comesTrue } from '../support/comes-true.ts';

suite('a SQLite store whose files change while it is open', () => {
  const losses: [string, RegExp, (file: string) => void][] = [
    ['the file is removed', /rubrica\.db was removed while/, (file) => rmSync(file)],
    ['the folder is removed', /rubrica\.db was removed while/, (file) => rmSync(join(file, '..'), { recursive: true })],
    ['the log is removed', /rubrica\.db-wal was removed while/, (file) => rmSync(`${file}-wal`)],
    [
      'another file takes its place',
      /rubrica\.db was replaced while/,
      (file) => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
  ];
  for (const [name, says, lose] of losses) {
    test(`reports the loss and refuses further commits once ${name}`, async (context) => {
      const { file, db, reasons } = await openStore(context);
      lose(file);
      assert.ok(await comesTrue(() => reasons.length > 0));
      assert.match(reasons[0]?.message ?? '', says);
      await assert.rejects(
        insert(db),
        (error) => error instanceof StorageError && error.code === 'STORAGE_UNAVAILABLE',
      );
      assert.equal(reasons.length, 1);
    });
  }

  test('has an unknown outcome for a commit that is in progress at that moment', async (context) => {
    const { file, db, reasons } = await openStore(context);
    const committed = db.transaction(async (tx) => {
      rmSync(file);
      await comesTrue(() => reasons.length > 0);
      return tx.query('insert into kept (word) values ($1)', ['late']);
    });
    await assert.rejects(committed, (error) => error instanceof StorageError && error.code === 'OUTCOME_UNKNOWN');
  });

  test('reports no change when it is opened through a link or next to other connections', async (context) => {
    const { file, db, reasons } = await openStore(context, 'linked.db');
    for (let round = 0; round < 5; round++) {
      const other = openSqliteDatabase(file);
      await other.query('select count(*) as rows from kept');
      await other.close();
      await insert(db);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.deepEqual(reasons, []);
  });

  async function openStore(context: { after(work: () => unknown): void }, link?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-watched-'));
    const file = join(folder, 'rubrica.db');
    if (link !== undefined) symlinkSync('rubrica.db', join(folder, link));
    const reasons: Error[] = [];
    const db = openSqliteDatabase(join(folder, link ?? 'rubrica.db'), (error) => reasons.push(error as Error));
    context.after(() => db.close().then(() => rmSync(folder, { recursive: true, force: true })));
    await db.transaction((tx) => tx.query('create table kept (word text)'));
    return { file, db, reasons };
  }

  function insert(db: ReturnType<typeof openSqliteDatabase>): Promise<unknown> {
    return db.transaction((tx) => tx.query('insert into kept (word) values ($1)', ['kept']));
  }
});
