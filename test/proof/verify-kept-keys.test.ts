import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { keepAnchors } from '../../src/proof/anchors/keep-anchors.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { readKeptKey } from '../../src/sealing/kept-key.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** An app as after a start: it has read no key yet. */
function start(db: TestDatabase) {
  return createTestApp(db, { config: readConfig({ MASTER_KEY: '0a'.repeat(32), LOG_LEVEL: 'silent' }) });
}

async function found(db: TestDatabase): Promise<string[]> {
  const verifications = [await verifyStore(start(db)), await verifyAudit(start(db))];
  return verifications.map(({ findings }) => findings.map(({ says }) => says).join('; '));
}

const CHANGED = (name: string) =>
  `the key ${name} in kept_keys was changed: nothing that was made with it can be compared`;

forEachEngine('a stored key that somebody changed', (openTestDatabase) => {
  test('is a finding of books verify and audit verify, for every change of its text', async () => {
    const db = await openTestDatabase();
    const app = start(db);
    await createPaidTransaction(app, await createTestEnvironment(app));
    await keepAnchors(app);
    assert.deepEqual(await found(db), ['', '']);
    const change = (sealed: string) =>
      db.transaction((tx) => tx.query(`update kept_keys set sealed = ${sealed} where name = 'books-anchor'`));
    const [before] = await db.query<{ sealed: string }>(`select sealed from kept_keys where name = 'books-anchor'`);
    for (const sealed of [
      `''`,
      `'x'`,
      `substr(sealed, 1, length(sealed) - 5) || 'AAAAA'`,
      `'v1.AAAAAAAA' || substr(sealed, 12)`,
    ]) {
      await change(sealed);
      assert.deepEqual(await found(db), [CHANGED('books-anchor'), CHANGED('books-anchor')], sealed);
      await change(`'${before?.sealed}'`);
    }
    assert.deepEqual(await found(db), ['', '']);
  });

  test('proves no deletion of events, and an invented key stops no verification', async () => {
    const db = await openTestDatabase();
    const app = start(db);
    await createPaidTransaction(app, await createTestEnvironment(app));
    await removeTriggers(db);
    await db.transaction(async (tx) => {
      await tx.query(`insert into kept_keys (name, sealed) values ('feed-cut', 'x'), ('verification-mark', 'x')`);
      await tx.query(`insert into feed_cuts (number, made_at, link, until, commit_id, position, hash, mac)
        values (1, 1, 1, 1, 1, 1, 'x', 'x')`);
    });
    const [books, audit] = await found(db);
    assert.match(books as string, /feed is said to be deleted up to link 1/);
    for (const name of ['feed-cut', 'verification-mark']) {
      assert.ok((books as string).includes(CHANGED(name)));
      assert.ok((audit as string).includes(CHANGED(name)));
    }
  });

  test('is refused everywhere else with its name and what to do', async () => {
    const db = await openTestDatabase();
    await db.transaction((tx) => tx.query(`insert into kept_keys (name, sealed) values ('api-token', 'x')`));
    await assert.rejects(readKeptKey(start(db), 'api-token'), {
      message:
        'Somebody changed the key api-token in kept_keys. Restore a backup, and find out who writes into the database.',
    });
  });
});
