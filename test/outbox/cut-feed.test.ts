import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { cutFeed } from '../../src/outbox/feed/cut-feed.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { makeAnchor } from '../../src/proof/anchors/make-anchor.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { findPayments } from '../../src/search/find-payments.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { NO_FILTER } from '../../src/search/payment-filter.ts';
import { selectSearchProgress } from '../../src/search/search-queries.ts';
import { showPayment } from '../../src/search/show-payment.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { acceptedRefund, refundingMethod } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const DAY = 86_400_000;
const EVERYTHING = { id: 'usr_1', environmentIds: null };

forEachEngine('events older than RETENTION_EVENTS', (openTestDatabase) => {
  test('are deleted in small commits, and books, feed, callbacks and search keep working', async () => {
    const { app, environment, old } = await open(openTestDatabase);
    assert.equal(await cut(app, 3), 3);
    assert.equal(await cut(app, 3), 1);
    assert.equal(await cut(app, 3), 0);
    assert.equal(await countEvents(app), 2);
    const found = await verifyStore(app);
    assert.deepEqual([found.ok, found.findings], [true, []]);
    assert.deepEqual([found.feed.deleted, found.feed.sealed, found.feed.waiting, found.callbacks], [4, 2, 0, 3]);
    const filter = { ...NO_FILTER, reference: old.reference };
    const { payments } = await findPayments(app, { filter, environmentIds: null, after: null, limit: 10 });
    assert.deepEqual(
      payments.map(({ id }) => id),
      [old.id],
    );
    const shown = await showPayment(app, String(old.id), null);
    assert.ok(shown?.timeline.some(({ kind }) => kind === 'entry'));
    await createPaidTransaction(app, environment);
    await settle(app);
    assert.ok((await verifyStore(app)).ok);
  });

  test('are not missed where a payment was refunded later, and a changed state of a later payment is still found', async () => {
    const { app, environment } = await open(openTestDatabase);
    const paid = await createPaidTransaction(app, environment);
    await settle(app);
    app.now.advance(DAY);
    const late = await createPaidTransaction(app, environment);
    await acceptedRefund(app, paid, 1000);
    await settle(app);
    app.now.advance(90 * DAY - 1);
    assert.equal(await cut(app, 100), 8);
    const found = await verifyStore(app);
    assert.deepEqual([found.ok, found.findings], [true, []]);
    assert.equal(await countEvents(app), 3);
    await removeTriggers(app.db);
    const ended = [late.id, paid.settled_at];
    await app.db.transaction((tx) => tx.query('update transactions set settled_at = $2 where id = $1', ended));
    const says = `transaction ${late.id} is completed, and no event says so`;
    assert.ok((await verifyStore(app)).findings.some((finding) => finding.says === says));
  });

  test('give a late reader an error with the cursor to continue from', async () => {
    const { app, next } = await open(openTestDatabase);
    const before = await readFeed(app, EVERYTHING, null, 1);
    while ((await cut(app, 100)) > 0);
    const refused = (await readFeed(app, EVERYTHING, before.next, 10).catch((error: Problem) => error)) as Problem;
    assert.equal(refused.code, 'CURSOR_TOO_OLD');
    const rest = await readFeed(app, EVERYTHING, (refused.extras.data as { next: string }).next, 10);
    assert.equal(rest.events.length, 2);
    // A reader past the deleted events notices nothing, and a new reader gets the rest.
    assert.deepEqual(await readFeed(app, EVERYTHING, next, 10), rest);
    assert.deepEqual(await readFeed(app, EVERYTHING, null, 10), rest);
  });

  test('stay until the search has read them, and the newest link always stays', async () => {
    const { app } = await open(openTestDatabase, { indexed: false });
    assert.equal(await cut(app, 100), 0);
    while ((await indexPayments(app)) > 0);
    app.now.advance(400 * DAY);
    assert.equal(await cut(app, 100), 4);
    assert.equal(await cut(app, 100), 0);
    assert.equal(await countEvents(app), 2);
  });

  test('cannot be deleted by hand, and a forged cut is detected', async () => {
    const { app } = await open(openTestDatabase);
    const remove = (sql: string) => app.db.transaction((tx) => tx.query(sql));
    await assert.rejects(remove('delete from events'), /append-only/);
    while ((await cut(app, 100)) > 0);
    await assert.rejects(remove('delete from events'), /append-only/);
    await assert.rejects(remove('delete from feed_cuts'), /append-only/);
    await makeAnchor(app, 'now');
    assert.ok((await verifyStore(app)).ok);
    await removeTriggers(app.db);
    await remove(
      `insert into feed_cuts (number, made_at, link, until, commit_id, position, hash, mac)
       select c.number + 1, c.made_at + 1, l.link, l.made_at, l.commit_id, l.position, l.hash, c.mac
       from feed_cuts c, feed_links l where l.link = (select max(link) from feed_links)`,
    );
    await remove('delete from events');
    const { ok, findings } = await verifyStore(app);
    assert.equal(ok, false);
    assert.match(findings.map(({ says }) => says).join('\n'), /this service did not say so/);
  });
});

/** Opens two payments with expired events, the cursor after them, and a new payment. */
async function open(openTestDatabase: OpenTestDatabase, { indexed = true } = {}) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', RETENTION_EVENTS: '90' });
  const app = createTestApp(await openTestDatabase(), { config, paymentMethods: [refundingMethod()] });
  const environment = await createTestEnvironment(app);
  const old = await createPaidTransaction(app, environment);
  await createPaidTransaction(app, environment);
  await settle(app, indexed);
  const { next } = await readFeed(app, EVERYTHING, null, 10);
  app.now.advance(91 * DAY);
  await createPaidTransaction(app, environment);
  await settle(app, indexed);
  return { app, environment, old, next };
}

async function settle(app: TestApp, indexed = true): Promise<void> {
  await untilVisible(app);
  await sealFeed(app);
  while (indexed && (await indexPayments(app)) > 0);
}

/** Deletes events like the worker. */
function cut(app: TestApp, limit: number): Promise<number> {
  return cutFeed(app, () => selectSearchProgress(app.db), limit);
}

async function countEvents(app: TestApp): Promise<number> {
  return (await app.db.query('select position from events')).length;
}
