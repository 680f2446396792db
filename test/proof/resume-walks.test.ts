import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import type { JournalEntry } from '../../src/books/journal-entry.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import type { Tx } from '../../src/db/database.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import type { OpenWalk } from '../../src/lib/walk.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { type ResumeOptions, resumeWalks } from '../../src/proof/resume-walks.ts';
import { MARK_LASTS_MS, type Verified } from '../../src/proof/verification-mark.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const PAYMENTS = 12;
/** The number of rows of one read. The place is stored after each read. */
const PAGE = 3;

forEachEngine('an interrupted verification', (openTestDatabase) => {
  test('continues where it stopped, with the same result as an uninterrupted one', async (context) => {
    const { app } = await open(context, openTestDatabase);
    const whole = await run(app);
    for (const places of [1, 5, 9, whole.places - 1]) {
      await interrupt(app, places);
      const rest = await run(app);
      assert.notEqual(rest.since, null);
      assert.ok(rest.places < whole.places, `${rest.places} places after ${places}`);
      assert.deepEqual(rest.verification, whole.verification);
    }
    assert.equal((await run(app)).since, null, 'after a complete run everything is read again');
  });

  test('finds tampering after its mark, and finds tampering before it in the next full run', async (context) => {
    const { app, environment } = await open(context, openTestDatabase);
    await removeTriggers(app.db);
    const links = ({ verification }: Awaited<ReturnType<typeof run>>) => verification.problems.map(({ link }) => link);
    await interrupt(app, 2);
    await forge(app, environment, 2);
    await forge(app, environment, 9);
    const rest = await run(app);
    assert.deepEqual([rest.verification.ok, links(rest)], [false, [9]]);
    assert.deepEqual(links(await run(app)), [2, 9], 'the next run begins at the start');
    await interrupt(app, 1, { fromStart: true });
    assert.deepEqual(links(await run(app, { fromStart: true })), [2, 9]);
  });

  test('reports its earlier findings again', async (context) => {
    const { app, environment } = await open(context, openTestDatabase);
    await removeTriggers(app.db);
    await forge(app, environment, 2);
    await interrupt(app, 8);
    const rest = await run(app);
    assert.notEqual(rest.since, null);
    assert.deepEqual(
      rest.verification.problems.map(({ link }) => link),
      [2],
    );
  });

  test('reports an earlier entry again that its record does not explain', async (context) => {
    const { app } = await open(context, openTestDatabase);
    await removeTriggers(app.db);
    const second = '(select transaction_id from journal_entries where link = 2 and line = 0)';
    await app.db.transaction((tx) => tx.query(`update transactions set amount = 1 where id = ${second}`));
    await interrupt(app, 8);
    const rest = await run(app);
    assert.notEqual(rest.since, null);
    const found = rest.verification.records.map(({ problem, entry }) => [problem, entry]);
    assert.deepEqual(found, [['unexplained', '2.0']]);
  });

  test('finds books that were recomputed past its mark, in each run', async (context) => {
    const { app, environment } = await open(context, openTestDatabase);
    await removeTriggers(app.db);
    await interrupt(app, 2);
    await app.db.transaction((tx) => rewrite(tx, environment));
    for (const time of ['first', 'second']) {
      const { problems } = (await run(app)).verification;
      assert.deepEqual(
        problems.map(({ link, problem }) => [link, problem]),
        [[6, 'rewritten']],
        time,
      );
    }
    app.now.advance(MARK_LASTS_MS);
    assert.deepEqual((await run(app)).verification.problems, []);
  });

  test('finds books and a feed that were cut off before its mark', async (context) => {
    const { app, environment } = await open(context, openTestDatabase);
    await removeTriggers(app.db);
    await interrupt(app, (await run(app)).places - 1);
    await app.db.transaction(async (tx) => {
      await tx.query('delete from feed_links');
      await tx.query('delete from journal_entries where environment_id = $1 and link > 4', [environment.id]);
      await tx.query(
        'update journal_heads set link = 4, hash = (select hash from journal_entries where environment_id = $1 and link = 4 and line = 0) where environment_id = $1',
        [environment.id],
      );
    });
    const { problems, findings } = (await run(app)).verification;
    assert.deepEqual(
      problems.map(({ link, until, problem }) => [link, until, problem]),
      [[5, PAYMENTS, 'cut']],
    );
    assert.ok(findings.some(({ says }) => says.includes('of the feed is not what was verified before')));
  });

  test('ignores a mark that is forged, old or from before a restore', async (context) => {
    const { app, environment } = await open(context, openTestDatabase);
    await removeTriggers(app.db);
    await interrupt(app, 2);
    const file = markOf(app);
    const genuine = readFileSync(file, 'utf8');
    await forge(app, environment, 2);
    const cases: [refused: RegExp, at: TestApp, text: string][] = [
      [/did not write it/, app, genuine.replace(/rows\\":\d+/, 'rows\\":99')],
      [/did not write it/, app, '{"content":7}'],
      [/did not write it/, app, genuine.slice(0, 40)],
      [
        /with this MASTER_KEY/,
        createTestApp(app.db, { config: { ...app.config, masterKey: Buffer.alloc(32, 7) } }),
        genuine,
      ],
      [
        /more than a day old/,
        createTestApp(app.db, { ...app, now: createTestClock(app.now() + MARK_LASTS_MS) }),
        genuine,
      ],
    ];
    for (const [refused, at, text] of cases) {
      writeFileSync(file, text);
      const { refused: why } = await resumeWalks(at, 'books');
      assert.match(why ?? '', refused);
      if (at !== app) continue;
      const { problems } = (await run(app)).verification;
      assert.deepEqual(
        problems.map(({ link }) => link),
        [2],
      );
    }
    writeFileSync(file, genuine);
    await beginEpoch(app, [], 0, TESTER);
    assert.match((await resumeWalks(app, 'books')).refused ?? '', /before it was restored/);
    assert.equal((await resumeWalks(app, 'audit')).refused, null);
  });

  test('of the audit log continues and finds tampering in the same way', async (context) => {
    const { app } = await open(context, openTestDatabase);
    await app.db.transaction(async (tx) => {
      const act = { at: app.now(), by: TESTER, action: 'ids.raised' as const };
      for (let row = 0; row < 10; row++) await recordAudit(tx, { ...act, subject: { kind: 'store', id: String(row) } });
    });
    await removeTriggers(app.db);
    const whole = await runAudit(app);
    await interrupt(app, 2, {}, 'audit');
    const rest = await runAudit(app);
    assert.notEqual(rest.since, null);
    assert.deepEqual(rest.verification, whole.verification);
    await interrupt(app, 2, {}, 'audit');
    await app.db.transaction(async (tx) => {
      await tx.query("update audit_log set reason = 'forged' where link in (2, 8)");
    });
    const named = async () => (await runAudit(app)).verification.findings.map(({ subject }) => subject);
    assert.deepEqual(await named(), ['row 8']);
    assert.deepEqual(await named(), ['row 2', 'row 8']);
    await app.db.transaction((tx) => tx.query('update audit_log set reason = null where link in (2, 8)'));
    await interrupt(app, 2, {}, 'audit');
    await app.db.transaction((tx) => tx.query("update audit_log set hash = 'x' where link = 6"));
    const { findings } = (await runAudit(app)).verification;
    assert.match(findings[0]?.says ?? '', /^row 6 .*was changed/);
    assert.equal(readdirSync(app.config.dataDir).length, 1, 'the record of the run stays as evidence');
  });
});

async function open(context: TestContext, openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  const plain = createTestApp(db);
  const dataDir = mkdtempSync(join(tmpdir(), 'rubrica-resumed-'));
  context.after(() => rmSync(dataDir, { recursive: true }));
  const app = createTestApp(db, { config: { ...plain.config, databaseUrl: db.url, dataDir } });
  const environment = await createTestEnvironment(app);
  for (let at = 0; at < PAYMENTS; at++) await createPaidTransaction(app, environment);
  await untilVisible(app);
  assert.ok((await sealFeed(app)) > 0);
  return { app, environment };
}

const EACH_PAGE: ResumeOptions = { page: PAGE, keepEvery: 0 };

async function run(app: TestApp, options: ResumeOptions = {}) {
  const walks = await resumeWalks(app, 'books', { ...EACH_PAGE, ...options });
  const counted = counting(walks.open);
  const verification = await verifyStore(app, [], [], counted.open);
  walks.end();
  return { verification, since: walks.since, places: counted.places() };
}

async function runAudit(app: TestApp) {
  const walks = await resumeWalks(app, 'audit', EACH_PAGE);
  const verification = await verifyAudit(app, { walks: walks.open });
  walks.end();
  return { verification, since: walks.since };
}

/** Ends a run like `kill -9` after a number of places. */
async function interrupt(app: TestApp, places: number, options: ResumeOptions = {}, verified: Verified = 'books') {
  const { open: begin } = await resumeWalks(app, verified, { ...EACH_PAGE, ...options });
  const killed = new Error('killed');
  const counted = counting(begin, (count) => {
    if (count === places) throw killed;
  });
  const verification = () =>
    verified === 'books' ? verifyStore(app, [], [], counted.open) : verifyAudit(app, { walks: counted.open });
  await assert.rejects(verification, killed);
}

function counting(begin: OpenWalk, after: (count: number) => void = () => {}) {
  let count = 0;
  const counted: OpenWalk = (name, what) => {
    const walk = begin(name, what);
    const reached: typeof walk.reached = async (...place) => {
      await walk.reached(...place);
      after(++count);
    };
    return { ...walk, reached } as never;
  };
  return { open: counted, places: () => count };
}

function markOf({ config }: TestApp): string {
  const [name = ''] = readdirSync(config.dataDir).filter((each) => each.endsWith('.books-verified'));
  return join(config.dataDir, name);
}

async function forge(app: TestApp, { id }: ServiceEnvironment, link: number): Promise<void> {
  const sql = 'update journal_entries set created_at = created_at + 1 where environment_id = $1 and link = $2';
  await app.db.transaction((tx) => tx.query(sql, [id, link]));
}

/** Recomputes all links, with other times from the second on. */
async function rewrite(tx: Tx, { id }: ServiceEnvironment): Promise<void> {
  const entries = await tx.query<JournalEntry>(
    'select * from journal_entries where environment_id = $1 order by link, line',
    [id],
  );
  let previous = '0'.repeat(64);
  for (const links of Map.groupBy(entries, ({ link }) => link).values()) {
    const moved = links.map((entry) => ({ ...entry, created_at: entry.created_at + (entry.link === 2 ? 1 : 0) }));
    previous = linkHash(previous, moved);
    const [{ link, created_at }] = moved as [JournalEntry];
    await tx.query('update journal_entries set created_at = $3, hash = $4 where environment_id = $1 and link = $2', [
      id,
      link,
      created_at,
      previous,
    ]);
  }
  await tx.query('update journal_heads set hash = $2 where environment_id = $1', [id, previous]);
}
