import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import type { PayoutWish } from '../../src/payouts/payout-wish.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { despite, failingStore } from '../support/failing-store.ts';
import { openStandInProvider, PROVIDER_URL } from '../support/stand-in-provider.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { openPayoutDesk, type PayoutDesk, wish } from '../support/test-payouts.ts';

async function setUp(openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  // The answer to an order of this amount is lost.
  const provider = openStandInProvider({ 1001: { sent: 'lost' } });
  const { failing, faults } = failingStore(db);
  const healthy = createTestApp(db);
  const parts = { now: healthy.now, openPayoutSender: payoutSenders(provider.fetch, healthy.now) };
  const app = createTestApp(db, parts);
  const dying = createTestApp(failing, parts);
  return { app, dying, faults, provider, desk: await openPayoutDesk(app) };
}

async function proposeAndApprove(apps: { dying: TestApp; app: TestApp }, desk: PayoutDesk, wanted: PayoutWish) {
  const { environment: owner, maker, approver } = desk;
  const batch = { name: wanted.reference, fileSha256: wanted.reference };
  const { payouts } = await despite(apps, (app) => proposePayouts(app, { owner, by: maker, wishes: [wanted], batch }));
  const ids = payouts.map(({ id }) => id);
  await despite(apps, async (app) => {
    const [{ state }] = (await readAll(app, ids)) as [Payout];
    // The commit may have taken effect without an answer.
    if (state === 'awaiting_approval') await approvePayouts(app, { owner, named: { ids }, by: approver, reason: null });
  });
  return ids;
}

async function readAll(app: TestApp, ids: readonly string[]): Promise<Payout[]> {
  const found: Payout[] = [];
  for (const id of ids) found.push((await selectPayoutAnywhere(app.db, id)) as Payout);
  return found;
}

forEachEngine('payouts whose process crashes between any two statements', (openTestDatabase) => {
  test('by a sender: none is handed over twice, and the books agree with what the provider received', async () => {
    const { app, dying, faults, provider, desk } = await setUp(openTestDatabase);
    await setPayoutSender(app, desk.environment, { kind: 'http', url: PROVIDER_URL, key: null }, desk.maker);
    const all: string[] = [];
    let isHit = true;
    for (let at = 1; isHit; at++) {
      Object.assign(faults, { at, points: 0 });
      const wanted = wish({ reference: `fault-${at}`, amount: at % 2 === 0 ? 1000 : 1001 });
      all.push(...(await proposeAndApprove({ dying, app }, desk, wanted)));
      await carryOutPayouts(dying, 10).catch(() => {});
      isHit = faults.points >= at;
      app.now.advance(120_000);
      await carryOutPayouts(app, 10);
    }
    app.now.advance(86_400_000);
    while ((await carryOutPayouts(app, 100)) > 0);
    const given = Map.groupBy(provider.given, ({ id }) => id);
    for (const { id, state } of await readAll(app, all)) {
      assert.equal(state, given.has(id) ? 'confirmed' : 'unknown', id);
      assert.ok((given.get(id)?.length ?? 0) <= 1, `${id} left twice`);
    }
    assert.ok(all.length > 20, `only ${all.length} points`);
    await assertBooked(
      app,
      provider.given.reduce((sum, { amount }) => sum + amount, 0),
    );
  });

  test('in a file: each is in one file and settles once', async () => {
    const { app, dying, faults, desk } = await setUp(openTestDatabase);
    const { environment: owner, maker: by } = desk;
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const evidence = { name: 'r.csv', sha256: 'ab', bytes: 1, excerpt: '' };
    let isHit = true;
    let sent = 0;
    for (let at = 1; isHit; at++) {
      Object.assign(faults, { at, points: 0 });
      const apps = { dying, app };
      const ids = await proposeAndApprove(apps, desk, wish({ reference: `fault-${at}`, amount: 1000 }));
      await despite(apps, async (one) => {
        const [{ state }] = (await readAll(one, ids)) as [Payout];
        if (state !== 'approved') return;
        await makePayoutFiles(one, { owner, by, format: 'santander', payer, batchId: null });
      });
      const outcomes = ids.map((id) => ({ id, outcome: 'confirmed' as const, reason: null }));
      await despite(apps, (one) => settlePayouts(one, { owner, by, outcomes, evidence }));
      const [{ state }] = (await readAll(app, ids)) as [Payout];
      assert.equal(state, 'confirmed', `after a fault at point ${at}`);
      isHit = faults.points >= at;
      sent++;
    }
    assert.ok(sent > 20, `only ${sent} points`);
    const files = await app.db.query<{ payouts: number }>('select payouts from payout_files');
    assert.equal(
      files.reduce((sum, { payouts }) => sum + payouts, 0),
      sent,
    );
    await assertBooked(app, sent * 1000);
  });
});

/** Asserts that the books have the paid amount, and that every hash is right. */
async function assertBooked(app: TestApp, given: number): Promise<void> {
  const [row] = await app.db.query<{ total: number }>(
    "select cast(coalesce(sum(amount), 0) as bigint) as total from journal_entries where kind = 'payout_paid'",
  );
  assert.equal(row?.total, given);
  const { ok, findings } = await verifyStore(app);
  assert.deepEqual([ok, findings], [true, []]);
}
