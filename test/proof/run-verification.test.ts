import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { verifyInThread } from '../../src/cli/run/verify-in-thread.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { askVerification, readVerification } from '../../src/proof/ask-verification.ts';
import { runVerification, type Verify } from '../../src/proof/run-verification.ts';
import { reportOf } from '../../src/proof/verification-report.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { selectUpkeep } from '../../src/upkeep/upkeep-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

const LEASE_MS = 60_000;

const here: Verify = async (app) => reportOf(app, await verifyStore(app));

const unwanted: Verify = () => assert.fail('nothing was asked for');

forEachEngine('a verification that a person asks for', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    await untilVisible(app);
    await sealFeed(app);
    return { app, paid };
  };

  test('is carried out once, under their name, and what it compared is stored', async () => {
    const { app } = await open();
    const user = await createTestUser(app, { role: 'auditor', may: [], email: 'ada@example.cl' });
    const by = userActor({ ...user, role: 'auditor' }, '192.0.2.1');
    assert.equal(await runVerification(app, unwanted), 0);
    const asked = await Promise.all([askVerification(app, by), askVerification(app, by)]);
    assert.deepEqual(asked.toSorted(), [false, true]);
    assert.equal(await runVerification(app, here), 1);
    assert.equal(await runVerification(app, unwanted), 0);
    const { asked: left, report, ended_at, failed_at } = await readVerification(app);
    assert.deepEqual([left, ended_at, failed_at], [null, app.now(), null]);
    const { acts, users, anchors, ...rest } = report ?? assert.fail('nothing was stored');
    assert.ok(acts >= 3 && users === 1, `${acts} acts, ${users} users`);
    assert.deepEqual(
      [rest.ok, rest.entries, rest.environments, rest.events, rest.waiting, rest.callbacks],
      [true, 1, 1, 2, 0, 1],
    );
    assert.deepEqual([anchors, rest.outside, rest.lines, rest.found], [0, [], [], {}]);
    assert.equal((await selectUpkeep(app.db, 'books'))?.ok, true);
    const { acts: said } = await listAudit(app, { who: 'ada@example.cl' }, 50);
    assert.deepEqual(
      said.map(({ action }) => action).filter((action) => action.startsWith('books.')),
      ['books.verification_asked'],
    );
    assert.equal(await askVerification(app, by), true, 'a later one can be asked for');
  });

  test('stores what it finds in plain words, and the duty says that something is wrong', async () => {
    const { app, paid } = await open();
    await app.db.transaction(async (tx) => {
      await tx.query("update callbacks set body = body || 'x'");
      await tx.query('update account_balances set debits = debits + 1');
      await tx.query('update transactions set amount = amount + 1 where id = $1', [paid.id]);
    });
    await askVerification(app, TESTER);
    await runVerification(app, here);
    const { report } = await readVerification(app);
    assert.equal(report?.ok, false);
    const { record_changed, balance_changed, callback_changed } = report.found;
    assert.ok(
      record_changed === 1 && (balance_changed ?? 0) > 0 && callback_changed === 1,
      JSON.stringify(report.found),
    );
    const line = report.lines.find(({ kind }) => kind === 'record_changed');
    assert.match(line?.en ?? '', new RegExp(`^transaction ${paid.id} is not what its entry says \\(entry 1\\.\\d\\)$`));
    assert.match(
      line?.es ?? '',
      new RegExp(`^transacción ${paid.id}: no es lo que dice su asiento \\(asiento 1\\.\\d\\)$`),
    );
    assert.equal((await selectUpkeep(app.db, 'books'))?.ok, false);
  });

  test('runs in one process at a time, and shows that it runs and how far it is', async () => {
    const { app } = await open();
    await askVerification(app, TESTER);
    app.now.advance(1000);
    const running: Verify = async (inside, onProgress, signal) => {
      assert.equal(await runVerification(app, unwanted), 0, 'two at a time');
      assert.equal(await askVerification(app, TESTER), false);
      await onProgress({ what: 'entries', rows: 12, part: 0.5 });
      // The claim was renewed with the progress.
      app.now.advance(LEASE_MS - 1);
      assert.equal(await runVerification(app, unwanted), 0);
      const { asked } = await readVerification(app);
      assert.deepEqual(asked, {
        at: app.now() - LEASE_MS - 999,
        by: TESTER.name,
        begun_at: app.now() - LEASE_MS + 1,
        progress: { what: 'entries', rows: 12, part: 0.5 },
      });
      return here(inside, onProgress, signal);
    };
    assert.equal(await runVerification(app, running), 1);
    assert.equal((await readVerification(app)).report?.ok, true);
  });

  test('goes on in another process after a crash; the first one, if it comes back, changes nothing', async () => {
    const { app } = await open();
    await askVerification(app, TESTER);
    let taken = 0;
    const late: Verify = async (inside, onProgress, signal) => {
      app.now.advance(LEASE_MS);
      taken = await runVerification(app, here);
      await onProgress({ what: 'entries', rows: 1, part: null });
      assert.equal(signal.aborted, true, 'it is told that another process has it');
      return { ...(await here(inside, onProgress, signal)), ok: false };
    };
    await runVerification(app, late);
    assert.equal(taken, 1);
    assert.equal((await readVerification(app)).report?.ok, true);
    assert.equal((await selectUpkeep(app.db, 'books'))?.ok, true);
  });

  test('is given back when the process stops, and the next process takes it at once', async () => {
    const { app } = await open();
    await askVerification(app, TESTER);
    for (let stop = 0; stop < 5; stop++) {
      const process = createTestApp(app.db, { now: app.now });
      const stopped: Verify = async (_, __, signal) => {
        process.stop();
        throw signal.reason;
      };
      assert.equal(await runVerification(process, stopped), 1);
    }
    assert.equal(await runVerification(app, here), 1);
    assert.equal((await readVerification(app)).report?.ok, true);
  });

  test('is tried three times and then given up, so that it does not end its process for ever', async () => {
    const { app } = await open();
    await askVerification(app, TESTER);
    const broken: Verify = () => Promise.reject(new Error('no memory'));
    for (let tries = 0; tries < 3; tries++) {
      await assert.rejects(runVerification(app, broken), /no memory/);
      assert.equal(await runVerification(app, unwanted), 0, 'it waits for the end of the claim');
      app.now.advance(LEASE_MS);
    }
    assert.equal(await runVerification(app, unwanted), 0);
    const { asked, failed_at, report } = await readVerification(app);
    assert.deepEqual([asked, failed_at, report], [null, app.now(), null]);
    assert.equal(await askVerification(app, TESTER), true);
    assert.equal((await readVerification(app)).failed_at, null);
  });

  test('does not wait for a claim that was made before the clock was set back', async () => {
    const { app } = await open();
    const ahead = createTestApp(app.db, { now: createTestClock(app.now() + 90 * 86_400_000) });
    await askVerification(app, TESTER);
    await assert.rejects(
      runVerification(ahead, () => Promise.reject(new Error('killed'))),
      /killed/,
    );
    assert.equal(await runVerification(app, here), 1);
    const { asked, ended_at } = await readVerification(app);
    assert.deepEqual([asked, ended_at], [null, app.now()]);
  });

  test('runs on a thread with a store of its own, and finds there what was changed', async () => {
    const { app } = await open();
    const dataDir = mkdtempSync(join(tmpdir(), 'rubrica-verify-'));
    after(() => rmSync(dataDir, { recursive: true }));
    const { url } = app.db as Awaited<ReturnType<typeof openTestDatabase>>;
    const process = createTestApp(app.db, { now: app.now, config: { ...app.config, dataDir, databaseUrl: url } });
    await app.db.transaction((tx) => tx.query("update callbacks set body = body || 'x'"));
    await askVerification(app, TESTER);
    const told: unknown[] = [];
    const listening: Verify = (inside, onProgress, signal) =>
      verifyInThread(inside, (one) => (told.push(one.what), onProgress(one)), signal);
    assert.equal(await runVerification(process, listening), 1);
    const { report } = await readVerification(app);
    assert.deepEqual([report?.ok, report?.entries, report?.found], [false, 1, { callback_changed: 1 }]);
    assert.deepEqual(told.slice(0, 1), ['sums of the accounts']);
    process.stop();
    await askVerification(app, TESTER);
    await runVerification(process, verifyInThread);
    assert.equal((await readVerification(app)).asked?.by, TESTER.name, 'it waits for another process');
  });
});
