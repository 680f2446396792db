import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JournalEntry } from '../../src/books/journal-entry.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import { GENESIS } from '../../src/lib/hash-chain.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { selectAllHeads } from '../../src/proof/anchors/anchor-queries.ts';
import { beginFacts } from '../../src/proof/begin-facts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { setTestFee } from '../support/test-movements.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

forEachEngine('a store from before owners, fees and reserved amounts were hashed', (openTestDatabase, engine) => {
  test('verifies without findings, names the first link with more coverage, and is covered from then on', async () => {
    const { app, environment, other } = await openOlder(openTestDatabase);
    assert.equal(await beginFacts(app), true);
    assert.equal(await beginFacts(app), false);
    const before = await verifyStore(app);
    assert.deepEqual([before.ok, before.covered_from], [true, []], JSON.stringify(before.findings));
    await createPaidTransaction(app, environment);
    const after = await verifyStore(app);
    assert.deepEqual([after.ok, after.covered_from], [true, [{ environment_id: environment.id, link: 3 }]]);
    await app.db.transaction(async (tx) => {
      const point = 'update environments set payment_service_id = $2 where id = $1';
      if (engine === 'sqlite') await tx.query('pragma defer_foreign_keys = on');
      else await tx.query('set local session_replication_role = replica');
      await tx.query(point, [environment.id, 'between']);
      await tx.query(point, [other.id, environment.paymentServiceId]);
      await tx.query(point, [environment.id, other.paymentServiceId]);
      await tx.query("delete from refunds where state = 'processing'");
    });
    const { findings } = await verifyStore(app);
    const kinds = findings.map(({ finding, environment_id }) => `${finding} ${environment_id}`);
    assert.deepEqual(kinds.toSorted(), [
      `owner_changed ${environment.id}`,
      `owner_changed ${environment.id}`,
      `owner_changed ${other.id}`,
      `refund_changed ${environment.id}`,
    ]);
  });

  test('still reveals a changed entry in an older link', async () => {
    const { app, environment } = await openOlder(openTestDatabase);
    await beginFacts(app);
    await app.db.transaction((tx) =>
      tx.query('update journal_entries set amount = amount + 1 where link = 2 and line = 0'),
    );
    const { problems } = await verifyStore(app);
    assert.deepEqual(problems, [{ environment_id: environment.id, link: 2, until: 2, problem: 'changed' }]);
  });

  if (engine === 'sqlite') {
    test('has the same chain heads in its backup', async () => {
      const { app } = await openOlder(openTestDatabase);
      await beginFacts(app);
      await untilVisible(app);
      await sealFeed(app);
      const folder = mkdtempSync(join(tmpdir(), 'rubrica-backup-'));
      const file = join(folder, 'copy.db');
      await app.db.backup(file);
      const copy = createTestApp(await openTestDatabase({ url: `sqlite:${file}` }));
      assert.deepEqual(await selectAllHeads(copy.db), await selectAllHeads(app.db));
      assert.ok((await verifyStore(copy)).ok);
      rmSync(folder, { recursive: true });
    });
  }
});

/** Opens a store with two links with the older hashes, a fee, a refund in process, and no facts. */
async function openOlder(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const [environment, other] = [await createTestEnvironment(app), await createTestEnvironment(app)];
  await setTestFee(app, environment);
  for (let link = 1; link <= 2; link++) {
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 + link });
    if (link === 2) await acceptedRefund(app, paid, 700);
  }
  await removeTriggers(app.db);
  await forget(app);
  return { app, environment, other };
}

async function forget({ db }: TestApp): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('delete from book_facts');
    await tx.query('delete from book_fact_heads');
    const entries = await tx.query<JournalEntry>('select * from journal_entries order by link, line');
    let previous = GENESIS;
    for (const [link, lines] of Map.groupBy(entries, (entry) => entry.link)) {
      previous = linkHash(
        previous,
        lines.map((line) => ({ ...line, owner_hash: null, record_hash: null })),
      );
      await tx.query('update journal_entries set owner_hash = null, record_hash = null, hash = $2 where link = $1', [
        link,
        previous,
      ]);
    }
    await tx.query('update journal_heads set hash = $1', [previous]);
  });
}
