import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { payableBalance } from '../../src/payouts/payout-balance.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { endContradiction } from '../../src/statements/end-contradiction.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { refuseUnbooked } from '../../src/statements/refuse-unbooked.ts';
import { type LineSubject, resolveLine } from '../../src/statements/resolve-line.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp } from '../support/test-app.ts';
import { payOut } from '../support/test-movements.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

const evidence = { name: 'cartola.csv', sha256: 'ab', bytes: 1, excerpt: '' };
const UNBOOKED = { code: 'PAYOUT_STATE' as const, message: /that the books do not have \(line st_\w+\/1\)/ };

forEachEngine('a charge of the bank statement for a failed payout', (openTestDatabase, engine) => {
  /** Opens an app with a payout in a bank file that the bank refused, and imports a charge that names it. */
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const [{ id }] = (await approved(app, desk, [wish({ amount: 15_000 })])) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    const payout = async () => (await selectPayoutAnywhere(app.db, id)) as Payout;
    const settle = () =>
      settlePayouts(app, { owner, by, outcomes: [{ id, outcome: 'failed', reason: 'closed' }], evidence });
    const clear = async () => endContradiction(app, { owner, payout: await payout(), by, reason: 'seen', evidence });
    await settle();
    const owed = await payableBalance(app, owner.id);
    const { paymentServiceId, environment } = owner;
    const lines = [{ line: 1, day: dayOf(app.now()), amount: -15_000, text: `TEF ${id}` }];
    const { id: statement } = await importStatement(
      app,
      { environment, paymentServiceId, account: '1', evidence, by },
      { lines, proof: 'balance' },
    );
    const resolve = (is: LineSubject) =>
      resolveLine(app, { statementId: statement ?? '', fileLine: 1, is, reason: 'seen at the bank', by });
    assert.equal((await payout()).contradicted_by, `${statement}/1`);
    const payByHand = async (reference: string) => {
      const recording = await payOut(app, owner, 15_000, { reference, by });
      return 'movement' in recording ? recording.movement.id : '';
    };
    return { app, owner, id, owed, payout, settle, clear, resolve, payByHand };
  };

  test('is booked before what contradicts the payout ends', async () => {
    const { app, owner, owed, settle, clear, resolve } = await open();
    await assert.rejects(clear(), UNBOOKED);
    assert.equal((await settle()).already.length, 1);
    await assert.rejects(clear(), UNBOOKED, 'nor does a person end it who settles the payout once more');
    await resolve({ use: 'suspense' });
    await assert.rejects(clear(), UNBOOKED, 'nobody has said what the line is');
    await resolve({ use: 'payout', toMerchant: { paymentServiceId: owner.paymentServiceId } });
    assert.equal((await clear()).contradiction, null);
    assert.equal(Number(await payableBalance(app, owner.id)), Number(owed) - 15_000);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('is called unrelated, with a reason, if nothing is booked for it', async () => {
    const { app, owner, owed, clear, resolve } = await open();
    await resolve({ use: 'suspense' });
    await resolve({ use: 'other' });
    assert.equal((await clear()).contradiction, null);
    assert.equal(await payableBalance(app, owner.id), owed);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('may stay with the payout if its money was recorded by hand with the id of the payout', async () => {
    const { app, id, clear, payByHand } = await open();
    await payByHand(id);
    assert.equal((await clear()).contradiction, null);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('is named with the payout that was recorded by hand under another reference, and booked once', async () => {
    const { app, owner, owed, clear, resolve, payByHand } = await open();
    const payoutId = await payByHand('TEF-8812');
    await assert.rejects(clear(), UNBOOKED);
    await resolve({ use: 'suspense' });
    await resolve({ use: 'payout', payoutId });
    assert.equal((await clear()).contradiction, null);
    assert.equal(Number(await payableBalance(app, owner.id)), Number(owed) - 15_000);
    assert.equal((await verifyStore(app)).ok, true);
  });

  if (engine === 'sqlite') {
    test('is looked for without a scan of the lines of all statements', async () => {
      const { app, payout } = await open();
      const listening = listenToStatements(app);
      await assert.rejects(refuseUnbooked(listening.app.db, await payout()), UNBOOKED);
      const plans = await Promise.all(listening.heard.map((statement) => explain(app, statement)));
      const scans = plans.flat().filter((step) => /^SCAN (?!json_each|unbooked)/.test(step));
      assert.deepEqual([plans.length, scans], [1, []]);
    });
  }
});
