import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { payoutBalance } from '../../src/payouts/payout-balance.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, type HeardStatement, listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { deposit, payOut, setTestFee } from '../support/test-movements.ts';
import { openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { refundingMethod, refund as refundOf } from '../support/test-refunds.ts';

forEachEngine('the funds of a merchant', (openTestDatabase, engine) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [refundingMethod()] });
    const desk = await openPayoutDesk(app, { money: 0 });
    const { environment } = desk;
    const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
    app.now.advance(48 * 3_600_000);
    const rule = (changes: { kept_back?: number; overdraft?: number }) => {
      const { paymentServiceId, environment: kind } = environment;
      return setFundsRule(app, { paymentServiceId, environment: kind, currency: 'CLP' }, changes, TESTER);
    };
    const refund = (amount: number) => refundOf(app, paid, amount);
    return { app, desk, environment, rule, paid, refund };
  };

  test('a merchant whose funds were all paid out can pay in, and then refund', async () => {
    const { app, environment, refund } = await open();
    assert.equal((await payOut(app, environment, 10_000)).kind, 'recorded');
    assert.equal((await refund(4000)).kind, 'refused');
    const paidIn = { reference: 'TRF-1', paymentMethod: null };
    assert.equal((await deposit(app, environment, 4000, paidIn)).kind, 'recorded');
    assert.equal((await deposit(app, environment, 4000, paidIn)).kind, 'replayed');
    assert.equal((await deposit(app, environment, 5000, paidIn)).kind, 'different');
    assert.equal((await refund(4000)).kind, 'accepted');
    const [entry] = await app.db.query("select * from journal_entries where kind = 'paid_in'");
    assert.deepEqual(
      [entry?.['debit_account'], entry?.['credit_account'], entry?.['amount']],
      ['bank', 'merchant:payable', 4000],
    );
    assert.ok((await verifyStore(app)).ok);
  });

  test('no payout takes the reserve, but refunds do', async () => {
    const { app, desk, environment, rule, refund } = await open();
    assert.deepEqual(await rule({ kept_back: 4000 }), { kept_back: 4000, overdraft: 0 });
    assert.deepEqual(await payoutBalance(app, environment.id), { payable: 6000, balance: 10_000 });
    assert.deepEqual(await payOut(app, environment, 6001), { kind: 'refused', most: 6000 });
    const ids = (await propose(app, desk, [wish({ amount: 6001 })])).map(({ id }) => id);
    const approve = () => approvePayouts(app, { owner: environment, named: { ids }, by: desk.approver, reason: null });
    await assert.rejects(approve(), /\$6\.001 CLP are to be paid, and \$6\.000 CLP are available/);
    await rule({ kept_back: 12_000 });
    assert.deepEqual(
      await payOut(app, environment, 1),
      { kind: 'refused', most: 0 },
      'the refusal names 0 as available, not a negative amount',
    );
    await assert.rejects(approve(), /and \$0 CLP are available/);
    assert.equal((await refund(10_000)).kind, 'accepted');
    assert.deepEqual(await rule({ kept_back: 0 }), { kept_back: 0, overdraft: 0 });
  });

  test('refunds may overdraw the balance up to the overdraft, and payouts never do', async () => {
    const { app, environment, rule, refund } = await open();
    await rule({ overdraft: 3000 });
    assert.deepEqual(await payOut(app, environment, 10_001), { kind: 'refused', most: 10_000 });
    assert.equal((await payOut(app, environment, 10_000)).kind, 'recorded');
    assert.equal((await refund(3001)).kind, 'refused');
    const both = await Promise.all([refund(2000), refund(1500)]);
    assert.deepEqual(both.map(({ kind }) => kind).toSorted(), ['accepted', 'refused']);
  });

  test('the fee of a payment covers its own part of a refund once, and never an overdraft', async () => {
    const { app, environment, rule, refund } = await open();
    await setTestFee(app, environment);
    const withFee = await createPaidTransaction(app, environment, { amount: 10_000 });
    assert.equal((await payOut(app, environment, 10_000)).kind, 'recorded');
    assert.equal((await refundOf(app, withFee, 9500)).kind, 'accepted');
    await rule({ overdraft: 400 });
    assert.equal((await refund(400)).kind, 'accepted');
    await rule({ overdraft: 0 });
    assert.equal((await refundOf(app, withFee, 500)).kind, 'refused');
  });

  test('a refund that the balance does not cover is refused without reading every payment of the merchant', async () => {
    const { app, environment, paid } = await open();
    await setTestFee(app, environment);
    const withFee = await createPaidTransaction(app, environment, { amount: 10_000 });
    await createPaidTransaction(app, environment, { amount: 10_000 });
    await payOut(app, environment, 18_950);
    const listening = listenToStatements(app);
    const sumsFees = () => listening.heard.find(({ sql }) => sql.includes('sum(given - own)'));
    assert.equal((await refundOf(listening.app, withFee, 10_000)).kind, 'accepted');
    assert.equal(sumsFees(), undefined, 'the rest of the payment and its own fee cover the refund');
    assert.equal((await refundOf(listening.app, paid, 1)).kind, 'refused');
    const plan = (await explain(app, sumsFees() as HeardStatement)).join('\n');
    if (engine === 'sqlite') assert.doesNotMatch(plan, /\bt USING INDEX transactions_reference/);
  });
});
