import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { anchorFindings } from '../../src/health/anchor-findings.ts';
import { freshWalks, type OpenWalk } from '../../src/lib/walk.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { cutFeed } from '../../src/outbox/feed/cut-feed.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { writeAnchors } from '../../src/proof/anchors/keep-anchors.ts';
import { makeAnchor } from '../../src/proof/anchors/make-anchor.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { selectSearchProgress } from '../../src/search/search-queries.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { deposit } from '../support/test-movements.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const DAY = 86_400_000;

forEachEngine('books verify beside a running service', (openTestDatabase) => {
  for (const walk of ['feed', 'events', 'callbacks']) {
    test(`accepts that old events are deleted during its walk of the ${walk}`, async () => {
      const { app } = await open(openTestDatabase);
      let deleted = 0;
      const cut = async () => {
        for (let more = 1; more > 0; deleted += more)
          more = await cutFeed(app, () => selectSearchProgress(app.db), 100);
      };
      const { findings } = await verifyStore(app, [], [], meanwhile(walk, cut));
      assert.equal(deleted, 4);
      assert.deepEqual(findings, []);
    });
  }

  test('accepts callbacks signed with a Secret Token that was made during the run', async () => {
    const { app, environment } = await open(openTestDatabase);
    const rotate = async () => {
      const { kind } = await rotateSecretToken(app, environment.paymentServiceId, environment.environment, 0, TESTER);
      assert.equal(kind, 'rotated');
      await createPaidTransaction(createTestApp(app.db, { now: app.now }), environment);
    };
    const { findings } = await verifyStore(app, [], [], meanwhile('callbacks', rotate));
    assert.deepEqual(findings, []);
  });

  test('and doctor accept anchors that are made and written to ANCHOR_DIR between their statements', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-anchors-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const opened = await open(openTestDatabase);
    const app = { ...opened.app, config: { ...opened.app.config, anchorDir: folder } };
    let made = 0;
    const anchor = async () => {
      await makeAnchor(app, 'now', { by: TESTER });
      await writeAnchors(app);
      made++;
    };
    await anchor();
    const query: TestApp['db']['query'] = async (sql, parameters) => {
      const rows = await app.db.query(sql, parameters);
      if (sql.includes('from anchors')) await anchor();
      return rows as never;
    };
    const beside = { ...app, db: { ...app.db, query } };
    assert.deepEqual((await verifyStore(beside)).findings, []);
    assert.ok(made > 1);
    const wrong = (await anchorFindings(beside)).filter(({ fix }) => fix !== null);
    assert.deepEqual(wrong, []);
  });

  test('accepts that a person puts a line into suspense between the acts and the lines of its statement', async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment, maker: by } = await openPayoutDesk(app);
    await deposit(app, environment, 5000, { reference: 'AB-1' });
    const lines = [{ line: 2, day: '2026-01-15', amount: 5000, text: 'ABONO SIMULATED' }];
    const evidence = { name: 'cartola.csv', sha256: '00', bytes: 1, excerpt: '' };
    const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
    const { id, uses } = await importStatement(app, { ...account, evidence, by }, { lines, proof: 'balance' });
    assert.equal(uses.deposit, 1);
    let reopened = 0;
    const query: TestApp['db']['query'] = async (sql, parameters) => {
      const rows = await app.db.query(sql, parameters);
      if (sql.includes("'statement.line_reopened'") && reopened++ === 0) {
        const is = { use: 'suspense' as const };
        await resolveLine(app, { statementId: id ?? '', fileLine: 2, is, reason: 'another deposit', by });
      }
      return rows as never;
    };
    assert.deepEqual((await verifyStore({ ...app, db: { ...app.db, query } })).findings, []);
    assert.ok(reopened > 0);
    await app.db.transaction((tx) => tx.query("update bank_statements set account = '123456780'"));
    assert.equal((await verifyStore(app)).findings.length, 1);
  });

  test('starts again when a payment service arrives from another database during the run', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await setFundsRule(from, { ...merchant, currency: 'CLP' }, { kept_back: 5000 }, TESTER);
    let moved = false;
    // By then it is known which payment services arrived, and the rules are not read yet.
    const query: TestApp['db']['query'] = async (sql, parameters) => {
      if (sql.includes('closed_months') && !moved) {
        moved = true;
        await movePaymentService(from, to, wishOf(merchant));
      }
      return to.db.query(sql, parameters) as never;
    };
    const { findings, entries } = await verifyStore({ ...to, db: { ...to.db, query } });
    assert.deepEqual(findings, []);
    assert.equal(entries, (await verifyStore(to)).entries, 'the payments that arrived are verified too');
  });

  test('and a person who seals all chains makes an anchor also if the service makes one at that moment', async () => {
    const { app } = await open(openTestDatabase);
    const made = await Promise.all([makeAnchor(app, 'now', { by: TESTER }), makeAnchor(app, 'now', { by: TESTER })]);
    assert.deepEqual(new Set(made.map((row) => row?.number)), new Set([1, 2]));
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('reads the tokens of an environment once, even with several changed callbacks', async () => {
    const { app } = await open(openTestDatabase);
    await app.db.transaction((tx) => tx.query("update callbacks set body = body || 'x'"));
    const listening = listenToStatements(app);
    const { findings } = await verifyStore(listening.app);
    assert.equal(findings.filter(({ finding }) => finding === 'callback_changed').length, 3);
    assert.equal(listening.all.filter(({ sql }) => sql.includes('s.closes_at > $2')).length, 1);
  });
});

/** Returns walks of one row at a time. `work` runs once, after the first place of the walk `name`. */
function meanwhile(name: string, work: () => Promise<void>): OpenWalk {
  const begin = freshWalks();
  let done = false;
  return ((each: string, what: string) => {
    const walk = begin(each, what);
    const reached: typeof walk.reached = async () => {
      if (each !== name || done) return;
      done = true;
      await work();
    };
    return { ...walk, page: 1, reached };
  }) as OpenWalk;
}

/** Opens two payments with expired events, each in a separate link, and a new payment. */
async function open(openTestDatabase: OpenTestDatabase) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', RETENTION_EVENTS: '90' });
  const app = createTestApp(await openTestDatabase(), { config });
  const environment = await createTestEnvironment(app);
  for (const days of [0, 91, 0]) {
    await createPaidTransaction(app, environment);
    await untilVisible(app);
    await sealFeed(app);
    app.now.advance(days * DAY);
  }
  while ((await indexPayments(app)) > 0);
  return { app, environment };
}
