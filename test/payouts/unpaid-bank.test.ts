import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import shipped from '../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { importBankDirectory } from '../../src/bank-validation/directory/import-bank-directory.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { ANA, openPayoutDesk, propose } from '../support/test-payouts.ts';

forEachEngine('a bank that only one source knows', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openPayoutDesk(app) };
  };
  /** Imports a list with a changed entry for the bank of ANA. Another list a moment later is in use at once. */
  const importList = async (app: TestApp, changes: object) => {
    const banks = shipped.banks.map((bank) => (bank.code === ANA.bankCode ? { ...bank, ...changes } : bank));
    assert.ok('version' in (await importBankDirectory(app, { ...shipped, banks }, TESTER)));
    app.now.advance(1001);
  };
  const ONE_SOURCE = { confidence: 'low', transferReachable: 'no_evidence' };

  test('is not paid by a payout proposed before the list changed', async () => {
    const { app, desk } = await open();
    const [{ id }] = (await propose(app, desk)) as [Payout];
    const decision = { owner: desk.environment, named: { ids: [id] }, by: desk.approver, reason: null };
    const warnings = async () => {
      const [shown] = await showPayouts(app, [(await selectPayoutAnywhere(app.db, id)) as Payout]);
      return shown?.warnings.map((warning) => warning.text.en) ?? [];
    };
    assert.deepEqual([await warnings(), await listAttention(app, 'approval', 10)], [[], []]);
    await importList(app, ONE_SOURCE);
    await assert.rejects(approvePayouts(app, decision), { code: 'APPROVAL_REFUSED', message: /import a bank list/ });
    assert.match((await warnings()).join(), /^It cannot be approved: no transfer catalogue has its bank/);
    const [row] = await listAttention(app, 'approval', 10);
    assert.match(row?.reason ?? '', /^payout-\d+: no transfer catalogue has its bank/);
    await importList(app, {});
    assert.deepEqual([await warnings(), await listAttention(app, 'approval', 10)], [[], []]);
    assert.equal((await approvePayouts(app, decision)).length, 1);
  });

  test('is not stored as the bank of a recipient', async () => {
    const { app, desk } = await open();
    await importList(app, ONE_SOURCE);
    const account = { rut: ANA.rut, bankCode: ANA.bankCode, account: ANA.account, rutFormat: null };
    const seen = { id: desk.users.maker.id, environmentIds: null };
    const { id: validationId } = await validateBankAccount(app, seen, account);
    const { paymentServiceId } = desk.environment;
    const input = { validationId, paymentServiceId, account, name: 'Ana Núñez', email: null };
    const refused = { code: 'VALIDATION_NOT_USABLE', message: /Use an account at another bank, or import a bank list/ };
    await assert.rejects(keepRecipient(app, seen, null, input, desk.maker), refused);
    assert.deepEqual(await app.db.query('select id from recipients'), []);
    await importList(app, {});
    assert.equal((await keepRecipient(app, seen, null, input, desk.maker)).version, 1);
  });
});
