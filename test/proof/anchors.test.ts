import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, test } from 'node:test';
import pino from 'pino';
import { webhookMatches } from '../../protocol/webhook-signature.ts';
import { readConfig } from '../../src/config.ts';
import type { Tx } from '../../src/db/database.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { anchorFindings } from '../../src/health/anchor-findings.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { keepAnchors, keepLastAnchor } from '../../src/proof/anchors/keep-anchors.ts';
import { makeAnchor } from '../../src/proof/anchors/make-anchor.ts';
import { postKey } from '../../src/proof/anchors/post-anchors.ts';
import { beginFacts } from '../../src/proof/begin-facts.ts';
import { acceptRestore } from '../../src/proof/restores/accept-restore.ts';
import { type StoreVerification, verifyStore } from '../../src/proof/verify-store.ts';
import { KEPT_KEYS } from '../../src/sealing/kept-key.ts';
import { reseal } from '../../src/sealing/reseal.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers, undone } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const DAY_MS = 86_400_000;
const OLD = { MASTER_KEY: '0a'.repeat(32) };
const NEW = { MASTER_KEY: '0b'.repeat(32) };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-anchors-'));
  folders.push(folder);
  return join(folder, 'second', 'place');
}

function appWith(db: TestDatabase, settings: Record<string, string>, parts: Partial<TestApp> = {}): TestApp {
  return createTestApp(db, { config: readConfig({ ...OLD, LOG_LEVEL: 'silent', ...settings }), ...parts });
}

forEachEngine('anchors of the books', (openTestDatabase, engine) => {
  test('are written to ANCHOR_DIR daily and after each hour with changes, readable only by this user', async () => {
    const folder = newFolder();
    const app = appWith(await openTestDatabase(), { ANCHOR_DIR: folder });
    await beginFacts(app);
    await keepAnchors(app);
    assert.equal(existsSync(folder), false, 'an empty store writes no anchors');
    const environment = await createTestEnvironment(app);
    await keepAnchors(app);
    await createPaidTransaction(app, environment);
    await keepAnchors(app);
    assert.deepEqual(numbersIn(folder), { 'books-2026-01-15.jsonl': [1] });
    app.now.advance(3_600_000);
    await keepAnchors(app);
    await keepAnchors(app);
    assert.deepEqual(numbersIn(folder), { 'books-2026-01-15.jsonl': [1, 2] });
    app.now.advance(DAY_MS);
    await Promise.all([keepAnchors(app), keepAnchors(appWith(app.db as TestDatabase, {}, { now: app.now }))]);
    await keepAnchors(app);
    assert.deepEqual(numbersIn(folder), { 'books-2026-01-15.jsonl': [1, 2], 'books-2026-01-16.jsonl': [3] });
    for (const file of readdirSync(folder)) assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
    const { ok, anchors } = await verifyStore(app);
    assert.ok(ok);
    assert.deepEqual(
      anchors.map((one) => [one.anchors, one.first_day, one.last_day]),
      Array.from({ length: 2 }, () => [3, '2026-01-15', '2026-01-16']),
    );
  });

  test('are written once by two processes that share ANCHOR_DIR, and a line that is there twice is accepted', async () => {
    const folder = newFolder();
    const app = appWith(await openTestDatabase(), { ANCHOR_DIR: folder });
    const other = appWith(app.db as TestDatabase, { ANCHOR_DIR: folder }, { now: app.now });
    await createPaidTransaction(app, await createTestEnvironment(app));
    await Promise.all([keepAnchors(app), keepAnchors(other)]);
    assert.deepEqual(numbersIn(folder), { 'books-2026-01-15.jsonl': [1] });
    const file = join(folder, 'books-2026-01-15.jsonl');
    appendFileSync(file, readFileSync(file));
    assert.ok((await verifyStore(app)).ok);
  });

  test('in any place reveal a store whose tail was cut off, with the day', async () => {
    const { app, folder, cut } = await openTwoDays();
    await removeTriggers(app.db);
    await undone(app, async (tx) => {
      await cut(tx);
      await tx.query('delete from anchors where number > 1');
      const told = says(await verifyStore(through(app, tx)));
      assert.match(
        told,
        /the store is older than it was: it ends with anchor 1 of 2026-01-15, and .* has anchor 2 of 2026-01-16/,
      );
      assert.match(told, /link 2 of the books of environment 1 is gone: it was sealed on 2026-01-16, in anchor 2/);
    });
    await undone(app, async (tx) => {
      await cut(tx);
      const told = says(await verifyStore(through(appWith(app.db as TestDatabase, {}, { now: app.now }), tx)));
      assert.match(told, /link 2 of the books of environment 1 is gone/, 'the store has the anchors too');
      await tx.query('delete from anchors where number > 1');
      const without = appWith(app.db as TestDatabase, {}, { now: app.now });
      assert.equal(
        (await verifyStore(through(without, tx))).ok,
        true,
        'without anchors outside the store the cut is not found',
      );
      const file = join(folder, 'books-2026-01-16.jsonl');
      for (const place of [file, folder]) {
        assert.match(
          says(await verifyStore(through(without, tx), [], [place])),
          /link 2 of the books of environment 1 is gone/,
        );
      }
    });
  });

  test('reveal which of them was deleted, changed or forged, with its day', async () => {
    const { app, folder } = await openTwoDays();
    const first = join(folder, 'books-2026-01-15.jsonl');
    const kept = readFileSync(first, 'utf8');
    rmSync(first);
    assert.match(says(await verifyStore(app)), /anchor 1 of 2026-01-15 is missing in .*place/);
    writeFileSync(first, kept.replace('"link":1', '"link":7'));
    assert.match(says(await verifyStore(app)), /anchor 1 of 2026-01-15 in .* was not sealed by this service/);
    writeFileSync(first, kept.replace(/"made_at":"[^"]*"/, '"made_at":"yesterday"'));
    const [forged] = (await verifyStore(app)).findings;
    assert.match(String(forged?.says), /anchor 1 of 2026-01-15 in .* was not sealed by this service/);
    assert.equal(forged?.since, null);
    writeFileSync(first, `${kept}{"number":`);
    assert.match(says(await verifyStore(app)), /1 line of .* is no anchor/);
    writeFileSync(first, kept);
    assert.equal((await verifyStore(app)).ok, true);
    await removeTriggers(app.db);
    for (const [change, found] of [
      [
        'delete from anchors where number = 1',
        /anchors 1 to 1 are missing in the store, before the anchor of 2026-01-16/,
      ],
      [
        "update anchors set mac = 'x' where number = 2",
        /anchor 2 of 2026-01-16 in the store was not sealed by this service/,
      ],
      [
        "update anchors set content = 'x' where number = 2",
        /anchor 2 of 2026-01-16 in the store was not made by this service/,
      ],
      [
        `update anchors set content = '{"made_at":"yesterday"}' where number = 2`,
        /anchor 2 of 2026-01-16 in the store was not sealed by this service/,
      ],
    ] as const) {
      await undone(app, async (tx) => {
        await tx.query(change);
        assert.match(says(await verifyStore(through(app, tx))), found);
      });
    }
  });

  test('are missed when all were deleted, or those after one that was made by hand or posted', async () => {
    const { app: kept } = await openTwoDays();
    const app = appWith(kept.db as TestDatabase, {}, { now: kept.now });
    await removeTriggers(app.db);
    const after = (...statements: string[]) =>
      undone(app, async (tx) => {
        for (const sql of statements) await tx.query(sql);
        return says(await verifyStore(through(app, tx)));
      });
    assert.equal(await after('delete from anchors where number > 1'), '');
    assert.match(await after('delete from anchors'), /up to number 1 at least, and the store has none: they were/);
    const cut = 'delete from anchors where number > 1';
    const store = /anchors were made up to number 2 at least, and the store ends with anchor 1 of 2026-01-15/;
    assert.match(await after(cut, 'update anchor_posts set number = 2'), store);
    await makeAnchor(app, 'now', { by: TESTER });
    assert.match(await after(cut), /up to number 3 at least, and the store ends with anchor 1 of 2026-01-15/);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('reveal a chain that was recomputed with all its hashes', async () => {
    const { app } = await openTwoDays();
    await removeTriggers(app.db);
    await undone(app, async (tx) => {
      await tx.query("update feed_links set hash = 'another' where link = (select max(link) from feed_links)");
      assert.match(
        says(await verifyStore(through(app, tx))),
        /link \d of the feed is another: it was sealed on 2026-01-16/,
      );
    });
  });

  test('stay valid when the master key is replaced', async () => {
    const { app, folder } = await openTwoDays();
    const db = app.db as TestDatabase;
    const both = appWith(db, { ...NEW, MASTER_KEY_PREVIOUS: OLD.MASTER_KEY, ANCHOR_DIR: folder }, { now: app.now });
    assert.ok((await verifyStore(both)).ok);
    await resealAll(both);
    const after = appWith(db, { ...NEW, ANCHOR_DIR: folder }, { now: app.now });
    await makeAnchor(after, 'now');
    await keepAnchors(after);
    assert.deepEqual((await verifyStore(after)).findings, []);
  });

  test('do not overwrite those of a newer store after a rollback, which raises an alarm', async () => {
    const { app, folder } = await openTwoDays();
    await removeTriggers(app.db);
    await app.db.transaction((tx) => tx.query('delete from anchors where number > 1'));
    const before = numbersIn(folder);
    const errors: object[] = [];
    const log = { ...app.log, error: (about: object) => errors.push(about) } as unknown as TestApp['log'];
    const older = { ...app, log };
    app.now.advance(DAY_MS);
    await keepAnchors(older);
    await keepAnchors(older);
    assert.deepEqual(numbersIn(folder), before);
    assert.deepEqual(errors, [{ alarm: 'anchor_contradicts', anchor: 2, day: '2026-01-16' }]);
  });

  test('continue after a line that a power cut left incomplete', async () => {
    const { app, folder } = await openTwoDays();
    appendFileSync(join(folder, 'books-2026-01-16.jsonl'), '{"number":3,"da');
    await makeAnchor(app, 'now');
    await keepAnchors(app);
    assert.equal(readFileSync(join(folder, 'books-2026-01-16.jsonl'), 'utf8').trim().split('\n').length, 3);
    assert.deepEqual(numbersIn(folder)['books-2026-01-16.jsonl'], [2, 3]);
    assert.ok((await verifyStore(app)).ok);
  });

  test('are posted to ANCHOR_URL in order and signed, until they are accepted', async () => {
    const { app } = await openTwoDays();
    let status = 503;
    const fetch: TestApp['fetch'] = async (request) => {
      app.sent.push(request);
      return { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
    };
    const posting = appWith(
      app.db as TestDatabase,
      { ANCHOR_URL: 'http://10.0.0.5:9000/anchors' },
      { now: Object.assign(() => app.now(), app.now, { ahead: () => 3_600_000 }), fetch },
    );
    const worldSeconds = (app.now() - 3_600_000) / 1000;
    await keepAnchors(posting);
    await keepAnchors(posting);
    assert.equal(app.sent.length, 1, 'the next attempt waits a minute');
    app.now.advance(60_000);
    status = 204;
    await keepAnchors(posting);
    assert.deepEqual(
      app.sent.map(({ headers }) => headers['webhook-id']),
      ['anchor_1', 'anchor_1', 'anchor_2'],
    );
    const [sent] = app.sent;
    const body = sent?.body as string;
    const of = (name: string) => sent?.headers[name] ?? null;
    const headers = { id: of('webhook-id'), timestamp: of('webhook-timestamp'), signature: of('webhook-signature') };
    assert.ok(webhookMatches(headers, Buffer.from(body), [await postKey(posting)]));
    assert.equal(headers.timestamp, String(Math.floor(worldSeconds)), 'in real time also while the clock is ahead');
    assert.equal((JSON.parse(body) as { number: number }).number, 1);
  });

  test('cover everything that a process did before it ended', async () => {
    const { app, folder } = await openTwoDays();
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    await untilVisible(app);
    await keepLastAnchor(app);
    assert.deepEqual(numbersIn(folder)['books-2026-01-16.jsonl'], [2, 3]);
    assert.deepEqual((await verifyStore(app)).feed.waiting, 0);
  });

  test('stay in the store while ANCHOR_DIR cannot be written, and are written later', async () => {
    const folder = newFolder();
    const app = appWith(await openTestDatabase(), { ANCHOR_DIR: folder });
    await createTestEnvironment(app);
    mkdirSync(dirname(folder));
    writeFileSync(folder, 'this is no folder');
    await assert.rejects(keepAnchors(app));
    rmSync(folder);
    await keepAnchors(app);
    assert.deepEqual(Object.values(numbersIn(folder)).flat(), [1]);
  });

  test('are posted to ANCHOR_URL even while ANCHOR_DIR cannot be written', async () => {
    const folder = newFolder();
    const app = appWith(await openTestDatabase(), { ANCHOR_DIR: folder, ANCHOR_URL: 'http://10.0.0.5:9000/anchors' });
    await createTestEnvironment(app);
    mkdirSync(dirname(folder));
    writeFileSync(folder, 'this is no folder');
    await assert.rejects(keepAnchors(app));
    assert.deepEqual(
      app.sent.map(({ headers }) => headers['webhook-id']),
      ['anchor_1'],
    );
  });

  test('report the errors of both ANCHOR_URL and ANCHOR_DIR', async () => {
    const folder = newFolder();
    const fetch = () => Promise.reject(new Error('the address is wrong'));
    const settings = { ANCHOR_DIR: folder, ANCHOR_URL: 'http://10.0.0.5:9000/anchors' };
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    const app = appWith(await openTestDatabase(), settings, { fetch, log });
    await createTestEnvironment(app);
    mkdirSync(dirname(folder));
    writeFileSync(folder, 'this is no folder');
    await assert.rejects(keepAnchors(app), { code: 'ENOTDIR' });
    assert.match(lines.join(), /the address is wrong.*ANCHOR_URL/);
    rmSync(folder);
    app.now.advance(120_000);
    await assert.rejects(keepAnchors(app), /^Error: the address is wrong/);
  });

  test('are written once even if a clock that was ahead has left a file of a future day', async () => {
    const folder = newFolder();
    const app = appWith(await openTestDatabase(), { ANCHOR_DIR: folder });
    await createPaidTransaction(app, await createTestEnvironment(app));
    const ahead = createTestClock(app.now() + 5 * DAY_MS);
    await keepAnchors(appWith(app.db as TestDatabase, { ANCHOR_DIR: folder }, { now: ahead }));
    app.now.advance(DAY_MS);
    for (let minute = 0; minute < 3; minute++) await keepAnchors(app);
    assert.deepEqual(numbersIn(folder), { 'books-2026-01-16.jsonl': [2], 'books-2026-01-20.jsonl': [1] });
    const found = await anchorFindings(app);
    assert.deepEqual(
      found.map(({ fix }) => fix),
      [null, null],
    );
    assert.ok((await verifyStore(app)).ok);
  });

  test('lost in a restore are a finding until a person accepts it; new ones continue after them', async () => {
    const { app, folder, cut } = await openTwoDays();
    await removeTriggers(app.db);
    await app.db.transaction(async (tx) => {
      await cut(tx);
      await tx.query('delete from anchors where number > 1');
    });
    app.now.advance(3_600_000);
    const [rewound] = (await verifyStore(app)).findings;
    assert.match(
      rewound?.says ?? '',
      /the store is older than it was/,
      'a store that went back without a command is named',
    );

    const { epoch } = await beginEpoch(app, [], 0, TESTER);
    const fresh = { ...app, log: app.log };
    await makeAnchor(fresh, 'now');
    const before = numbersIn(folder);
    await keepAnchors(fresh);
    assert.deepEqual(numbersIn(folder), before, 'no anchor follows before the restore is accepted');
    const lost = await verifyStore(fresh);
    assert.equal(lost.ok, false);
    assert.equal(
      says(lost),
      `the store was restored at 2026-01-16T13:00:00.000Z (epoch ${epoch}): 1 anchor, of 2026-01-16T12:00:00.000Z, speaks of entries that were lost; compare what is lost, then bin/rubrica release accepts it`,
    );

    app.now.advance(60_000);
    await acceptRestore(fresh, { ...TESTER, name: 'usr_1' }, 'compared with the acquirer');
    await acceptRestore(fresh, { ...TESTER, name: 'usr_2' }, 'a second time');
    await keepAnchors(fresh);
    const accepted = await verifyStore(fresh);
    assert.deepEqual([accepted.findings, accepted.ok], [[], true]);
    assert.deepEqual(accepted.restores, [
      {
        epoch,
        began_at: app.now() - 60_000,
        after: 1,
        accepted: { by: 'usr_1', reason: 'compared with the acquirer', at: app.now() },
        anchors: 1,
        first_made_at: app.now() - 3_660_000,
        last_made_at: app.now() - 3_660_000,
      },
    ]);
    assert.deepEqual(
      numbersIn(folder)['books-2026-01-16.jsonl'],
      [2, 2, 3],
      'the epochs distinguish two anchors with one number',
    );
    const last = JSON.parse(
      readFileSync(join(folder, 'books-2026-01-16.jsonl'), 'utf8').trim().split('\n').at(-1) ?? '',
    );
    assert.deepEqual([last.epoch, last.accepted.epoch, last.accepted.after], [epoch, epoch, 1]);
    const facts = await app.db.query("select recorded_by, content from book_facts where kind = 'restore'");
    assert.equal(facts.length, 2, 'the facts of each environment have one');
    assert.equal(facts[0]?.['recorded_by'], 'usr_1');
    assert.equal(JSON.parse(facts[0]?.['content'] as string).reason, 'compared with the acquirer');

    app.now.advance(DAY_MS);
    await keepAnchors(fresh);
    assert.deepEqual(numbersIn(folder)['books-2026-01-17.jsonl'], [4]);
    assert.ok((await verifyStore(fresh)).ok);
    for (const [change, found] of [
      ["update journal_heads set hash = 'x'", null],
      ["update feed_links set hash = 'another'", /link 1 of the feed is another/],
      ['update epochs set began_at = began_at + 1', /restore of epoch \d+: began_at was \d+, is \d+/],
      ['delete from epochs', /\d+ was deleted; it was|restore/],
      ['delete from anchors where number > 3', /the store is older than it was: it ends with anchor 3 .* has anchor 4/],
      ['delete from anchors where number > 2', /the store is older than it was/],
      ['delete from anchors where number > 1', /older than it was.*the store was restored at .* 1 anchor, /],
      [
        `insert into epochs select epoch + 60, began_at + 60000, known_until, last_commit_id, last_position, first_position,
          first_transaction_id, 1, 'x' from epochs; delete from anchors where number > 3`,
        /restored at .*accepts it/,
      ],
    ] as const) {
      await undone(app, async (tx) => {
        for (const statement of change.split(';')) await tx.query(statement);
        const verification = await verifyStore(through(fresh, tx));
        assert.equal(verification.ok, false, change);
        if (found !== null) assert.match(says(verification), found, change);
      });
    }
  });

  test('continue after two restores that are accepted together', async () => {
    const { app, folder, cut } = await openTwoDays();
    await removeTriggers(app.db);
    await app.db.transaction(async (tx) => {
      await cut(tx);
      await tx.query('delete from anchors where number > 1');
    });
    await beginEpoch(app, [], 0, TESTER);
    await makeAnchor(app, 'now');
    app.now.advance(5000);
    await beginEpoch(app, [], 0, TESTER);
    await makeAnchor(app, 'now');
    await acceptRestore(app, { ...TESTER, name: 'usr_1' }, null);
    await keepAnchors(app);
    assert.deepEqual(numbersIn(folder)['books-2026-01-16.jsonl'], [2, 2, 3, 4]);
    const { ok, restores } = await verifyStore(app);
    assert.deepEqual([ok, restores.map(({ anchors, after }) => [anchors, after])], [true, [[1, 1]]]);
  });

  /** Opens a store with one payment and anchor on each of two days, and a function that removes the second day. */
  async function openTwoDays() {
    const folder = newFolder();
    const app = appWith(await openTestDatabase(), { ANCHOR_DIR: folder }, { now: createTestClock() });
    await beginFacts(app);
    const environment = await createTestEnvironment(app);
    for (let day = 0; day < 2; day++) {
      if (day > 0) app.now.advance(DAY_MS);
      await createPaidTransaction(app, environment, { reference: `ORD-${day}` });
      await untilVisible(app);
      await sealFeed(app);
      await keepAnchors(app);
    }
    const cut = async (tx: Tx) => {
      await tx.query(
        engine === 'sqlite' ? 'pragma defer_foreign_keys = on' : 'set local session_replication_role = replica',
      );
      const [day] = await tx.query<{ id: number }>('select max(id) as id from transactions');
      const id = day?.id ?? 0;
      for (const table of ['journal_entries', 'payment_attempts', 'events', 'callbacks']) {
        await tx.query(`delete from ${table} where transaction_id = $1`, [id]);
      }
      await tx.query('delete from transactions where id = $1', [id]);
      await tx.query('delete from feed_links where link > 1');
      await tx.query('update journal_heads set link = 1, hash = (select hash from journal_entries where link = 1)');
      await tx.query('update account_balances set debits = (select sum(amount) from journal_entries) where debits > 0');
      await tx.query(
        'update account_balances set credits = (select sum(amount) from journal_entries) where credits > 0',
      );
    };
    return { app, folder, cut };
  }
});

function numbersIn(folder: string): Record<string, number[]> {
  const entries = readdirSync(folder)
    .sort()
    .map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      return [
        name,
        lines.flatMap((line) => (line.endsWith('}') ? (JSON.parse(line) as { number: number }).number : [])),
      ];
    });
  return Object.fromEntries(entries) as Record<string, number[]>;
}

function says({ findings, problems, records, balances }: StoreVerification): string {
  assert.deepEqual([problems, records, balances], [[], [], []]);
  return findings.map((finding) => finding.says).join('; ');
}

function through(app: TestApp, tx: Tx): TestApp {
  return { ...app, db: { ...app.db, query: (sql, parameters) => tx.query(sql, parameters) } };
}

async function resealAll(app: TestApp): Promise<void> {
  const { SEALED_KINDS } = await import('../../src/health/sealed-kinds.ts');
  assert.ok(SEALED_KINDS.includes(KEPT_KEYS));
  for (const kind of SEALED_KINDS) await reseal(app, kind, TESTER, () => {});
}
