import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { listMoves } from '../../src/moves/list-moves.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { raiseNextId } from '../../src/moves/move-queries.ts';
import { raiseIds } from '../../src/moves/raise-ids.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { selectRefundRequestsOf } from '../../src/refunds/refund-request-queries.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import { fillStore } from '../support/full-store.ts';
import {
  configOf,
  deliverDue,
  diesOnLeaving,
  ignoreMoving,
  talkingShop,
  twoDatabases,
  twoWithShop,
  wishOf,
} from '../support/moving-shop.ts';
import { runJourneys } from '../support/payment-journeys.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { setTestFee } from '../support/test-movements.ts';
import { actorOf, askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction, signedBody, testInput } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

forEachEngine('a moving payment service', (openTestDatabase, engine) => {
  test('arrives unchanged, works in the other database, and moves back', async () => {
    const other = engine === 'postgres' ? await openFile() : await openTestDatabase();
    const { from, to, script } = await twoDatabases(openTestDatabase, other, '6b'.repeat(32));
    const { one } = await fillStore(from);
    const merchant = (await loadEnvironment(from, one.token)) as ServiceEnvironment;
    await runJourneys(from, script, merchant);
    const before = await feedOf(from, merchant);
    const moved = await movePaymentService(from, to, wishOf(merchant));
    assert.equal(moved.events, before.length);
    assert.deepEqual(moved.strangers, []);
    await assertMoved(from, to, merchant, before);
    const later = await feedOf(to, merchant);
    assert.ok(later.length > before.length);
    await movePaymentService(to, from, wishOf(merchant));
    await assertMoved(to, from, merchant, later);
    assert.deepEqual(
      (await listMoves(from)).map(({ direction, state }) => `${direction} ${state}`),
      ['in moved', 'out moved'],
    );
  });

  test('does not move to a database with another key if a Secret Token was tampered with', async () => {
    const { from, to } = await twoDatabases(openTestDatabase, await openTestDatabase(), '6b'.repeat(32));
    const merchant = await createTestEnvironment(from);
    const sql = "update secret_tokens set sealed = substr(sealed, 1, length(sealed) - 22) || 'AAAAAAAAAAAAAAAAAAAAAA'";
    await from.db.transaction((tx) => tx.query(sql));
    const broken = { code: 'MOVE_SEAL_BROKEN', message: /^secret_tokens / };
    await assert.rejects(movePaymentService(from, to, wishOf(merchant)), broken);
  });

  test('can continue or be undone wherever the command was killed, and is never written in both databases', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const shop = talkingShop(from, to, merchant);
    let ends: string | null = null;
    for (let step = 1; ends === null; step++) {
      assert.ok(step < 100);
      const dying = diesAt(step, from, to);
      ends = await movePaymentService(dying.from, dying.to, wishOf(merchant)).then(
        ({ id }) => id,
        () => null,
      );
      await shop.order();
      if (ends === null && step % 2 === 1) await undoMove(from, to, merchant.paymentServiceId, TESTER).catch(() => {});
      await shop.order();
    }
    assert.equal(await shop.order(), 'to');
    await shop.assertNothingLost();
    await assertMoved(from, to, merchant, null);
  });

  test('loses nothing acknowledged during the copy', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const shop = talkingShop(from, to, merchant);
    let moving = true;
    const ordering = (async () => {
      while (moving) await shop.order();
    })();
    const paying = (async () => {
      for (let number = 1; moving; number++)
        await createPaidTransaction(from, merchant, { reference: `PAID-MEANWHILE-${number}` }).catch(ignoreMoving);
    })();
    await movePaymentService(from, to, wishOf(merchant));
    moving = false;
    await Promise.all([ordering, paying]);
    await shop.assertNothingLost();
    await assertMoved(from, to, merchant, null);
  });

  test('is not processed by the other database before it arrives, and only there afterwards', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await createTestTransaction(from, merchant, { reference: 'WAITS' });
    await createPaidTransaction(from, merchant, { reference: 'TOLD-THERE' });
    const killed = diesOnLeaving(from);
    await assert.rejects(movePaymentService(killed, to, wishOf(merchant)), /killed/);
    from.now.advance(48 * 3_600_000);
    assert.equal(await deliverDue(to, merchant), 0);
    await movePaymentService(from, to, wishOf(merchant));
    assert.equal(await deliverDue(from, merchant), 0);
    assert.equal(await expireTransactions(from, 10), 0);
    assert.ok((await deliverDue(to, merchant)) > 0);
    assert.equal(await expireTransactions(to, 10), 1);
    assert.equal((await verifyStore(to)).ok, true);
  });

  test('brings entries booked in an environment that was already copied', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    await setTestFee(from, merchant);
    await createPaidTransaction(from, merchant, { reference: 'WITH-A-FEE' });
    await movePaymentService(from, to, wishOf(merchant));
    await assertMoved(from, to, merchant, null);
  });

  test('brings its refund requests, and their requesters cannot approve them there under another user id', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    const desk = await openRefundDesk(from);
    const owner = await createTestUser(from, { role: 'owner', may: [], refundLimits: { CLP: 1000 } });
    const program = await createTestUser(from, { may: ['refunds:create'], refundLimits: { CLP: 1000 } });
    const byOwner = await askForRefund(from, desk, { amount: 2000, by: actorOf(owner, 'owner') });
    const byProgram = await askForRefund(from, desk, { amount: 3000, by: actorOf(program, 'integration') });
    const rejected = await askForRefund(from, desk);
    await rejectRefundRequest(from, rejected, { by: desk.approver, reason: 'ya se cambió' });
    const rows = (app: TestApp) => selectRefundRequestsOf(app.db, desk.paid);
    const before = await rows(from);
    await movePaymentService(from, to, wishOf(desk.environment));
    assert.deepEqual(await rows(to), before);
    assert.equal(before.length, 3);
    const { role, may } = { role: 'owner', may: [] } as const;
    const there = actorOf(await createTestUser(to, { email: owner.email, role, may }), role);
    const holder = actorOf(await createTestUser(to, { email: 'holder@example.cl', role, may }), role);
    const { id } = await createTestUser(to, { email: program.email, may: ['refunds:create'] });
    await makeApiToken(to, id, { name: 'mine', expiresAt: null }, holder);
    const decide = { by: there, reason: null };
    await assert.rejects(approveRefundRequest(to, byOwner, decide), { code: 'APPROVAL_REFUSED' });
    await assert.rejects(approveRefundRequest(to, byProgram, { ...decide, by: holder }), { code: 'APPROVAL_REFUSED' });
    const left = approveRefundRequest(from, byOwner, { ...decide, by: desk.approver });
    await assert.rejects(left, { code: 'PAYMENT_SERVICE_MOVING' });
    assert.equal((await approveRefundRequest(to, byOwner, { ...decide, by: holder })).kind, 'approved');
    await assert.rejects(approveRefundRequest(to, byProgram, decide), { code: 'APPROVAL_REFUSED' });
    const [waits] = await listAttention(to, 'refund_request', 10);
    assert.deepEqual([waits?.id, /refund reject/.test(waits?.command ?? '')], [byProgram.id, true]);
    assert.equal((await rejectRefundRequest(to, byProgram, { by: holder, reason: 'de nuevo' })).kind, 'rejected');
  });

  test('redirects its shop and its payers to its new address', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const open = await createTestTransaction(from, merchant, { reference: 'OPEN' });
    await using here = await startTestServer(from);
    await using there = await startTestServer(to);
    const [secret] = merchant.secrets;
    const order = (reference: string) => ({
      json: signedBody(merchant.serviceToken, secret?.text ?? '', { x_reference: reference }),
    });
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    from.now.advance(2000);
    assert.equal((await here.post('/trxs', order('ONE'))).status, 503);
    // Nobody continues the move, so the pause ends by itself.
    from.now.advance(60_000);
    assert.equal((await here.post('/trxs', order('ONE'))).status, 200);
    const early = await there.post('/trxs', order('EARLY'));
    assert.deepEqual([early.status, jsonOf(early)['code']], [503, 'PAYMENT_SERVICE_MOVING']);
    assert.equal(early.headers.get('retry-after'), '1');
    await movePaymentService(from, to, wishOf(merchant));
    from.now.advance(2000);
    const late = await here.post('/trxs', order('LATE'));
    assert.deepEqual([late.status, jsonOf(late)['code']], [421, 'PAYMENT_SERVICE_MOVED']);
    assert.deepEqual(jsonOf(late)['data'], { address: 'https://pay-2.example.cl' });
    assert.equal(late.headers.get('moved-to'), 'https://pay-2.example.cl');
    const wrong = await here.post('/trxs', { json: { ...order('LATE').json, x_signature: '0'.repeat(64) } });
    assert.equal(wrong.status, 401, 'only signed requests get the new address');
    const page = await here.get(`/pay/${payToken(open)}?again=1`);
    const address = `https://pay-2.example.cl/pay/${payToken(open)}?again=1`;
    assert.deepEqual([page.status, page.headers.get('location')], [307, address]);
    assert.equal((await there.get(`/pay/${payToken(open)}`)).status, 200);
    assert.equal((await there.post('/trxs', order('LATE'))).status, 200);
  });

  test('does not make payments of other merchants fail that share a commit with a refused one', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const other = await createTestEnvironment(from);
    const program = await createTestUser(from, { may: ['payments:create'] });
    await movePaymentService(from, to, wishOf(merchant));
    from.now.advance(2000);
    await using here = await startTestServer(from);
    const [secret] = other.secrets;
    const order = (reference: string) => ({
      json: signedBody(other.serviceToken, secret?.text ?? '', { x_reference: reference }),
    });
    const { x_signature: _, ...unsigned } = signedBody(merchant.serviceToken, '');
    // Opens connections and gets ids before the concurrent requests.
    assert.equal((await here.post('/trxs', order('FIRST'))).status, 200);
    const answers = await Promise.all(
      ['A', 'B', 'C', 'D'].flatMap((reference) => [
        here.post('/trxs', order(reference)),
        here.post('/trxs/create', { headers: program.headers, json: { ...unsigned, x_reference: reference } }),
      ]),
    );
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses, [200, 421, 200, 421, 200, 421, 200, 421]);
    assert.equal(answers[1]?.headers.get('moved-to'), 'https://pay-2.example.cl');
  });

  test('moves also if another one with ids between its ids moved there before', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const second = await createTestEnvironment(from);
    for (const reference of ['ONE', 'TWO'])
      for (const owner of [second, merchant]) await createPaidTransaction(from, owner, { reference });
    for (const owner of [merchant, second]) await movePaymentService(from, to, wishOf(owner));
    for (const owner of [merchant, second])
      assert.equal((await createTransaction(to, owner, testInput({ reference: 'AFTER' }))).kind, 'created');
    assert.deepEqual((await verifyStore(to)).findings, []);
  });

  test('does not move if one that moved before got ids there which it has itself', async () => {
    const db = await openTestDatabase();
    const low = createTestApp(db);
    const [first, second] = [await createTestEnvironment(low), await createTestEnvironment(low)];
    await createPaidTransaction(low, second, { reference: 'LOW' });
    await raiseIds(low, 1_000_000_000, TESTER);
    const from = createTestApp(db, { config: configOf('pay-1') });
    const to = createTestApp(await openTestDatabase(), { config: configOf('pay-2') });
    for (const owner of [first, second]) await createPaidTransaction(from, owner, { reference: 'HIGH' });
    await to.db.transaction((tx) => raiseNextId(tx, 'environment', 1000));
    await movePaymentService(from, to, wishOf(first));
    await createPaidTransaction(to, first, { reference: 'THERE' });
    await assert.rejects(movePaymentService(from, to, wishOf(second)), { code: 'MOVE_IDS_TAKEN' });
  });

  test('does not move to a database where its ids are taken, or to itself', async () => {
    const from = createTestApp(await openTestDatabase(), { config: configOf('pay-1') });
    const to = createTestApp(await openTestDatabase(), { config: configOf('pay-2') });
    const merchant = await createTestEnvironment(from);
    await createTestEnvironment(to);
    const wish = wishOf(merchant);
    await assert.rejects(movePaymentService(from, to, wish), {
      code: 'MOVE_IDS_TAKEN',
      message: /before its first payment service: bin\/rubrica ids --from/,
    });
    await assert.rejects(movePaymentService(from, from, wish), { code: 'MOVE_TO_ITSELF' });
    await assert.rejects(movePaymentService(from, to, { ...wish, paymentServiceId: 'ps_x' }), { code: 'MOVE_UNKNOWN' });
    assert.deepEqual(await listMoves(to), []);
    assert.equal((await createTransaction(from, merchant, testInput())).kind, 'created');
  });
});

async function openFile(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-move-'));
  folders.push(folder);
  const db = openDatabase(`sqlite:${folder}/store.db`, { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(db);
  return db;
}

async function feedOf(app: TestApp, merchant: ServiceEnvironment) {
  await untilVisible(app);
  const { events } = await readFeed(app, { id: 'us_x', environmentIds: new Set([merchant.id]) }, null, 10_000);
  // An event of no transaction is named by its place in the feed of one database.
  return events.map(({ id, ...event }) => (event.transaction === null ? event : { id, ...event }));
}

/** Asserts that the merchant has moved. `before`: the feed before the move, or null to skip that comparison. */
async function assertMoved(from: TestApp, to: TestApp, merchant: ServiceEnvironment, before: unknown[] | null) {
  if (before !== null) assert.deepEqual(await feedOf(to, merchant), before);
  for (const app of [from, to]) await assertWhole(app);
  await assert.rejects(createTestTransaction(from, merchant, { reference: 'TOO-LATE' }), {
    code: 'PAYMENT_SERVICE_MOVING',
  });
  const there = (await loadEnvironment(to, merchant.serviceToken)) as ServiceEnvironment;
  assert.equal(there.elsewhere, null);
  const here = await loadEnvironment(from, merchant.serviceToken);
  assert.deepEqual(here?.elsewhere, { state: 'moved', address: to.config.publicUrl });
  const textsOf = ({ secrets }: ServiceEnvironment) => secrets.map(({ text }) => text);
  assert.deepEqual(textsOf(there), textsOf(merchant));
  await createPaidTransaction(to, there, { reference: `AFTER-${to.config.publicUrl}` });
  await assertWhole(to);
}

async function assertWhole(app: TestApp): Promise<void> {
  await untilVisible(app);
  const { ok, findings, problems, records, balances } = await verifyStore(app);
  assert.deepEqual(
    { ok, findings, problems, records, balances },
    { ok: true, findings: [], problems: [], records: [], balances: [] },
  );
}

/** Returns both apps in a process that dies before or after one of its commits, in either database. */
function diesAt(step: number, from: TestApp, to: TestApp): { from: TestApp; to: TestApp } {
  let commits = 0;
  const dying = (app: TestApp): TestApp => ({
    ...app,
    db: {
      ...app.db,
      transaction: async (work, kind) => {
        commits++;
        if (commits >= step) throw new Error('killed');
        return app.db.transaction(work, kind);
      },
    },
  });
  return { from: dying(from), to: dying(to) };
}
