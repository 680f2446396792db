import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { dayOf } from '../../src/lib/calendar-day.ts';
import {
  approvePayouts,
  cancelPayouts,
  rejectPayouts,
  submitPayouts,
} from '../../src/payouts/approval/decide-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { tellPayout } from '../../src/payouts/payout-history.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { createTestApp } from '../support/test-app.ts';
import { ANA, approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';

forEachEngine('the history of a payout', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const lastOf = async ({ id }: Payout, kind: string, statements: string[] = []) => {
      const lines = await tellPayout(app, (await selectPayoutAnywhere(app.db, id)) as Payout, statements);
      const found = lines.findLast((line) => line.kind === 'state' && line.what === kind);
      return [found?.by, found?.reason];
    };
    return { app, desk, lastOf };
  };

  test('says who rejected or cancelled it together with others, and why', async () => {
    const { app, desk, lastOf } = await open();
    const payouts = await propose(app, desk, [wish(), wish(), wish(), wish()]);
    const idsOf = (some: readonly Payout[]) => ({ ids: some.map(({ id }) => id) });
    const { environment: owner, maker, approver } = desk;
    app.now.advance(60_000);
    const [rejected, cancelled] = [payouts.slice(0, 2), payouts.slice(2)];
    await rejectPayouts(app, { owner, by: approver, named: idsOf(rejected), reason: 'no corresponde' });
    await cancelPayouts(app, { owner, by: maker, named: idsOf(cancelled), reason: 'error' });
    for (const payout of rejected)
      assert.deepEqual(await lastOf(payout, 'rejected'), [approver.name, 'no corresponde']);
    for (const payout of cancelled) assert.deepEqual(await lastOf(payout, 'cancelled'), [maker.name, 'error']);
  });

  test('says who submitted and who approved it together with others, and why, before and after it is sent', async () => {
    const { app, desk, lastOf } = await open();
    const { environment: owner, approver: by, maker } = desk;
    const batch = { name: 'Proveedores', fileSha256: null };
    const wishes = [wish(), wish()];
    const { payouts } = await proposePayouts(app, { owner, by: maker, wishes, batch, draft: true });
    app.now.advance(60_000);
    await submitPayouts(app, { owner, by: maker, named: { ids: payouts.map(({ id }) => id) }, reason: null });
    app.now.advance(60_000);
    await approvePayouts(app, { owner, by, named: { ids: payouts.map(({ id }) => id) }, reason: 'visto' });
    const assertTold = async () => {
      for (const payout of payouts) {
        assert.deepEqual(await lastOf(payout, 'awaiting_approval'), [maker.name, null]);
        assert.deepEqual(await lastOf(payout, 'approved'), [by.name, 'visto']);
      }
    };
    await assertTold();
    app.now.advance(60_000);
    const payer = { account: '123456789', rut: '76111222-8', name: 'Casa Verde', agreement: '001' };
    await makePayoutFiles(app, { owner, by: maker, format: 'santander', payer, batchId: null });
    await assertTold();
  });

  test('reads acts on several payouts only if no act on this one tells the approval, and only after its proposal', async () => {
    const { app, desk, lastOf } = await open();
    const { environment: owner, approver: by } = desk;
    const payouts = await propose(app, desk, [wish(), wish(), wish()]);
    const [one, ...others] = payouts as [Payout, ...Payout[]];
    app.now.advance(60_000);
    await approvePayouts(app, { owner, by, named: { ids: [one.id] }, reason: 'visto' });
    await approvePayouts(app, { owner, by, named: { ids: others.map(({ id }) => id) }, reason: 'ambos' });
    const askedOf = async (payout: Payout) => {
      const heard = listenToStatements(app);
      await tellPayout(heard.app, (await selectPayoutAnywhere(app.db, payout.id)) as Payout);
      return heard.all.filter(
        ({ sql, parameters }) => /from audit_log/.test(sql) && parameters.includes('payout.approved'),
      );
    };
    assert.deepEqual(await askedOf(one), []);
    const [asked, ...more] = await askedOf(others[0] as Payout);
    assert.deepEqual(more, []);
    assert.match(asked?.sql ?? '', / and link > \$\d+ /, 'the search begins after the proposal');
    for (const payout of others) assert.deepEqual(await lastOf(payout, 'approved'), [by.name, 'ambos']);
    assert.deepEqual(await lastOf(one, 'approved'), [by.name, 'visto']);
  });

  test('names the submission of its own part of a batch, and not that of the rest', async () => {
    const { app, desk, lastOf } = await open();
    const { environment: owner, approver, maker } = desk;
    const batch = { name: 'Proveedores', fileSha256: null };
    const wishes = [wish(), wish(), wish()];
    const { payouts } = await proposePayouts(app, { owner, by: maker, wishes, batch, draft: true });
    const two = payouts.slice(0, 2);
    app.now.advance(60_000);
    await submitPayouts(app, { owner, by: maker, named: { ids: two.map(({ id }) => id) }, reason: 'estos dos' });
    app.now.advance(60_000);
    const named = { batchId: payouts[0]?.batch_id ?? '' };
    await submitPayouts(app, { owner, by: maker, named, reason: 'el resto' });
    app.now.advance(60_000);
    await approvePayouts(app, { owner, by: approver, named, reason: null });
    for (const payout of two) assert.deepEqual(await lastOf(payout, 'awaiting_approval'), [maker.name, 'estos dos']);
    assert.deepEqual(await lastOf(payouts[2] as Payout, 'awaiting_approval'), [maker.name, 'el resto']);
  });

  test('says who made its file together with others', async () => {
    const { app, desk, lastOf } = await open();
    const payee = { ...ANA, bankCode: '001', account: '00990011223' };
    const payouts = await approved(
      app,
      desk,
      Array.from({ length: 101 }, (_, at) => wish({ payee, amount: 1_000 + at })),
    );
    const { environment: owner, maker: by } = desk;
    app.now.advance(60_000);
    const payer = { account: '123456789', rut: '76111222-8', name: 'Casa Verde', agreement: '001' };
    const files = await makePayoutFiles(app, { owner, by, format: 'bancochile-masivas', payer, batchId: null });
    assert.equal(files.length, 2);
    for (const at of [0, 100]) assert.deepEqual(await lastOf(payouts[at] as Payout, 'sent'), [by.name, null]);
  });

  test('says who imported the bank statement that confirmed it, only with that statement', async () => {
    const { app, desk, lastOf } = await open();
    const { environment: owner, maker: by } = desk;
    const [payout] = (await approved(app, desk, [wish({ amount: 15_000 })])) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    app.now.advance(60_000);
    const account = { environment: 'development' as const, paymentServiceId: null, account: payer.account };
    const take = async (amount: number, text: string) => {
      app.now.advance(60_000);
      const evidence = { name: 'cartola.csv', sha256: hash('sha256', text), bytes: 1, excerpt: '' };
      const lines = [{ line: 2, day: dayOf(app.now()), amount, text }];
      return (await importStatement(app, { ...account, evidence, by }, { lines, proof: 'balance' })).id ?? '';
    };
    const [its, other] = [await take(-15_000, `TEF ${ANA.rut}`), await take(-900, 'ARRIENDO')];
    assert.deepEqual(await lastOf(payout, 'confirmed', [its, other]), [by.name, null]);
    assert.deepEqual(await lastOf(payout, 'confirmed', [other]), [null, null]);
    const lines = await tellPayout(app, (await selectPayoutAnywhere(app.db, payout.id)) as Payout, [its]);
    assert.ok(!lines.some(({ what }) => what.startsWith('statement.')), 'the import is the outcome, not another act');
  });
});
