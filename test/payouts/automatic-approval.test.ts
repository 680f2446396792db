import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameWithToken } from '../../src/audit/actor.ts';
import { endApiToken } from '../../src/auth/tokens/end-api-token.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import shipped from '../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { importBankDirectory } from '../../src/bank-validation/directory/import-bank-directory.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { eraseRecipients } from '../../src/payouts/recipients/forget-recipients.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { ANA, approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

forEachEngine('a program’s payout within its limits', (openTestDatabase) => {
  const open = async (changes: Parameters<typeof createTestApp>[1] = {}) => {
    const app = createTestApp(await openTestDatabase(), changes);
    const desk = await openPayoutDesk(app);
    await setPayoutLimits(app, desk.environment, { automatic_per_payout: 10_000 }, TESTER);
    const ask = async (asking: TestApp = app) => {
      const proposal = { owner: desk.environment, by: desk.program, wishes: [wish()], batch: null };
      const [{ state, reason, recipient_id }] = (await proposePayouts(asking, proposal)).payouts as [Payout];
      return { told: [state, reason], recipient: recipient_id };
    };
    return { app, desk, ask };
  };
  /** Does something after the recipient was found and before the payout is stored. */
  const afterFinding = (app: TestApp, act: () => Promise<unknown>): TestApp => {
    const transaction: typeof app.db.transaction = async (work, kind) => {
      await act();
      return app.db.transaction(work, kind);
    };
    return { ...app, db: { ...app.db, transaction } };
  };

  test('waits for a person if its bank left the transfer catalogues while its account was validated', async () => {
    let whileAsking = async () => {};
    const validationProvider = {
      name: 'slow',
      version: '1',
      realHolders: true,
      covers: () => true,
      ask: async () => {
        await whileAsking();
        return { kind: 'match', expiresAt: null, nameMatch: null } as const;
      },
    };
    const { app, ask } = await open({ validationProvider });
    whileAsking = async () => {
      const left = { confidence: 'low', transferReachable: 'no_evidence' };
      const banks = shipped.banks.map((bank) => (bank.code === ANA.bankCode ? { ...bank, ...left } : bank));
      assert.ok('version' in (await importBankDirectory(app, { ...shipped, banks }, TESTER)));
      app.now.advance(1001);
    };
    const { told } = await ask();
    assert.deepEqual(told, ['awaiting_approval', 'waits for a person: no transfer catalogue has its bank']);
  });

  test('waits for a person from a restore until its release: it may have been paid after the backup was made', async () => {
    const { app, ask } = await open();
    await beginEpoch(app, [], 0, TESTER);
    const waits = ['awaiting_approval', 'waits for a person: the service was restored and is being compared'];
    assert.deepEqual((await ask()).told, waits);
    await releaseEpoch(app, TESTER, null);
    assert.deepEqual((await ask()).told, ['approved', null]);
  });

  test('is not made if its API token was ended meanwhile', async () => {
    const { app, desk } = await open();
    const { id } = desk.users.program;
    const made = await makeApiToken(app, id, { name: 'till 4', expiresAt: null }, TESTER);
    const by = { ...desk.program, name: nameWithToken(desk.program.name, 'till 4') };
    const ask = (asking: TestApp) =>
      proposePayouts(asking, { owner: desk.environment, by, wishes: [wish()], batch: null });
    assert.equal((await ask(app)).payouts[0]?.state, 'approved');
    const ending = afterFinding(app, () => endApiToken(app, made?.id ?? '', TESTER));
    await assert.rejects(ask(ending), { code: 'TOKEN_INVALID' });
    assert.equal((await app.db.query('select id from payouts')).length, 1);
  });

  test('waits for a person if its recipient was erased meanwhile', async () => {
    const { app, ask } = await open();
    assert.deepEqual((await ask()).told, ['approved', null]);
    const erasing = afterFinding(app, () => eraseRecipients(app, { kind: 'rut', name: '12531909-2' }));
    assert.deepEqual((await ask(erasing)).told, ['awaiting_approval', 'waits for a person: its recipient was erased']);
  });

  test('waits for a person if the account of its recipient was changed meanwhile', async () => {
    const { app, desk, ask } = await open();
    const { recipient } = await ask();
    const account = { rut: ANA.rut, bankCode: '001', account: '1234567890', rutFormat: null };
    const seen = { id: desk.users.program.id, environmentIds: null };
    const changing = afterFinding(app, async () => {
      const { id: validationId } = await validateBankAccount(app, seen, account);
      const { paymentServiceId } = desk.environment;
      const input = { validationId, paymentServiceId, account, name: 'Ana Núñez', email: null };
      await keepRecipient(app, seen, recipient, input, desk.program);
    });
    const { told } = await ask(changing);
    assert.deepEqual(told, ['awaiting_approval', 'waits for a person: the account of its recipient was changed']);
  });

  test('waits for a person if the limit of one payout was lowered meanwhile', async () => {
    const { app, desk, ask } = await open();
    assert.deepEqual((await ask()).told, ['approved', null]);
    const lowering = afterFinding(app, () => setPayoutLimits(app, desk.environment, { per_payout: 9999 }, TESTER));
    assert.deepEqual((await ask(lowering)).told, ['awaiting_approval', 'waits for a person: above $9.999 CLP']);
  });

  test('waits for a person if a payout to another account of its recipient left meanwhile', async () => {
    const { app, desk, ask } = await open();
    const { environment: owner, maker: by } = desk;
    assert.deepEqual((await ask()).told, ['approved', null]);
    app.now.advance(1);
    const payee = { ...ANA, bankCode: '001', account: '1234567890' };
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    let isPaid = false;
    const paying = afterFinding(app, async () => {
      if (isPaid) return;
      isPaid = true;
      await approved(app, desk, [wish({ payee })]);
      await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    });
    const { told } = await ask(paying);
    assert.deepEqual(told, ['awaiting_approval', 'waits for a person: the account was changed since the last payment']);
    const changed = await app.db.query('select id from payouts where account_changed_by is not null');
    assert.equal(changed.length, 1, 'nobody approves it who stored the account');
  });
});
