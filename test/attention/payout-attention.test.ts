import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { measureAttention } from '../../src/attention/measure-attention.ts';
import { updateApiTokensEnded } from '../../src/auth/api-token-queries.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { makeApiToken } from '../../src/auth/make-api-token.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { approvePayouts, rejectPayouts } from '../../src/payouts/decide-payouts.ts';
import { endContradiction } from '../../src/payouts/end-contradiction.ts';
import { eraseRecipients } from '../../src/payouts/forget-recipients.ts';
import { makePayoutFiles } from '../../src/payouts/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { settlePayouts } from '../../src/payouts/settle-payouts.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { ANA, approved, openPayoutDesk, type PayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const evidence = { name: 'portal.pdf', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };

forEachEngine('payouts that wait for a person', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const listed = async (kind: 'payout' | 'approval') => {
      const rows = await listAttention(app, kind, 10);
      const measured = (await measureAttention(app)).find((one) => one.kind === kind);
      assert.equal(measured?.count, rows.length);
      assert.equal(measured?.oldest ?? null, rows[0]?.since ?? null);
      return rows;
    };
    return { app, desk, listed };
  };
  const commands = (rows: { command: string }[]) => rows.map(({ command }) => command);
  const settle = (app: Awaited<ReturnType<typeof open>>['app'], desk: PayoutDesk, id: string) =>
    settlePayouts(app, {
      owner: desk.environment,
      by: desk.maker,
      outcomes: [{ id, outcome: 'failed', reason: 'the bank says so' }],
      evidence,
    });

  test('one that nobody has answered for an hour is listed with its age and the command that ends it', async () => {
    const { app, desk, listed } = await open();
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    const [payout] = (await approved(app, desk, [wish({ amount: 6006 })])) as [Payout];
    const sent = app.now();
    await carryOutPayouts(app, 10);
    app.now.advance(HOUR - 1);
    assert.deepEqual(await listed('payout'), []);
    app.now.advance(1);
    await carryOutPayouts(app, 10);
    const command = `bin/rubrica payout settle ${payout.id} --outcome confirmed|failed|returned --evidence FILE --reason TEXT`;
    assert.deepEqual(await listed('payout'), [
      {
        kind: 'payout',
        id: payout.id,
        payment_service: desk.environment.paymentServiceId,
        name: 'Test shop',
        environment: 'development',
        transaction: null,
        taken_by: null,
        taken_at: null,
        since: sent,
        age: HOUR,
        amount: 6006,
        currency: 'CLP',
        reason: 'the sender did not answer',
        command,
      },
    ]);
    await settle(app, desk, payout.id);
    assert.deepEqual(await listed('payout'), []);
  });

  test('one in a file of which the bank says nothing for three days is listed', async () => {
    const { app, desk, listed } = await open();
    const [payout] = (await approved(app, desk)) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const files = { owner: desk.environment, by: desk.maker, format: 'santander', payer, batchId: null };
    const [made] = await makePayoutFiles(app, files);
    app.now.advance(3 * DAY - 1);
    assert.deepEqual(await listed('payout'), []);
    app.now.advance(1);
    const [row] = await listed('payout');
    assert.match(row?.reason ?? '', new RegExp(`payout result FILE --file ${made?.file.id}$`));
    await settle(app, desk, payout.id);
    assert.deepEqual(await listed('payout'), []);
  });

  test('a contradiction is listed at once, until a person says that it was looked at', async () => {
    const { app, desk, listed } = await open();
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    const [payout] = (await approved(app, desk, [wish({ amount: 6007 })])) as [Payout];
    await carryOutPayouts(app, 10);
    const [row] = await listed('payout');
    assert.match(row?.reason ?? '', /^it is sent, and somebody says: amount 6008\./);
    assert.equal(row?.command, `bin/rubrica payout clear ${payout.id} --evidence FILE --reason TEXT`);
    const found = (await selectPayoutAnywhere(app.db, payout.id)) as Payout;
    const look = {
      owner: desk.environment,
      payout: found,
      by: desk.maker,
      reason: 'a typing error of theirs',
      evidence,
    };
    await endContradiction(app, look);
    assert.deepEqual(await listed('payout'), []);
    // It has no end yet, and is asked about on.
    assert.notEqual((await selectPayoutAnywhere(app.db, payout.id))?.next_look_at, null);
  });

  test('a batch that nobody approves for a day is one row, whatever it has in it', async () => {
    const { app, desk, listed } = await open();
    const payouts = await propose(app, desk, [wish(), wish()]);
    app.now.advance(DAY - 1);
    assert.deepEqual(await listed('approval'), []);
    app.now.advance(1);
    const [row, ...others] = await listed('approval');
    const { batch_id } = payouts[0] as Payout;
    assert.deepEqual([row?.id, row?.amount, row?.reason], [batch_id, 20_000, '2 payouts: nobody has approved it']);
    assert.deepEqual([row?.command, others], [`bin/rubrica batch approve ${batch_id} --as PERSON`, []]);
    const decision = {
      owner: desk.environment,
      named: { batchId: batch_id as string },
      by: desk.approver,
      reason: 'no',
    };
    await rejectPayouts(app, decision);
    assert.deepEqual(await listed('approval'), []);
  });

  test('an approval that can no longer happen is listed at once, with what ends it', async () => {
    const { app, desk, listed } = await open();
    const [payout] = (await propose(app, desk)) as [Payout];
    const { batch_id } = payout;
    assert.deepEqual(await listed('approval'), []);
    await disableUser(app, desk.users.approver.id, TESTER);
    const service = desk.environment.paymentServiceId;
    assert.deepEqual(commands(await listed('approval')), [
      `bin/rubrica user create --email PERSON --role approver --payment-service ${service}`,
    ]);
    await enableUser(app, desk.users.approver.id, TESTER);
    assert.deepEqual(await listed('approval'), []);
    await eraseRecipients(app, { kind: 'rut', name: '12531909-2' });
    const [row] = await listed('approval');
    assert.deepEqual(
      [row?.reason, row?.command],
      ['its recipient was erased, so nobody can approve it', `bin/rubrica batch reject ${batch_id} --reason TEXT`],
    );
  });

  test('an approval is listed where all who may give it knew a token of the program that made it or changed its account', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, program: by } = desk;
    const { program, approver } = desk.users;
    const give = (name: string) => makeApiToken(app, program.id, { name, expiresAt: null }, desk.approver);
    const ask = async (payee = ANA) =>
      (await proposePayouts(app, { owner, by, wishes: [wish({ payee })], batch: null })).payouts as [Payout];
    const reject = ({ id }: Payout) =>
      rejectPayouts(app, { owner, named: { ids: [id] }, by: desk.approver, reason: 'no' });
    /** The list, the page and the approval say the same of the only payout that waits. */
    const isStuck = async ({ id }: Payout) => {
      const [shown] = await showPayouts(app, [(await selectPayoutAnywhere(app.db, id)) as Payout]);
      const isListed = (await listed('approval')).length > 0;
      assert.equal(shown?.barred.has(approver.id), isListed);
      assert.equal(
        shown?.warnings.some((warning) => warning.code === 'NO_APPROVER'),
        isListed,
      );
      return isListed;
    };
    await give('mine');
    const [made] = await ask();
    assert.equal(await isStuck(made), true);
    app.now.advance(1000);
    await app.db.transaction((tx) => updateApiTokensEnded(tx, program.id, null, app.now()));
    assert.equal(await isStuck(made), true, 'the token ended after the payout was made');
    await reject(made);
    app.now.advance(1000);
    const [later] = await ask();
    assert.equal(await isStuck(later), false);
    const named = { ids: [later.id] };
    await approvePayouts(app, { owner, named, by: desk.approver, reason: null });
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ...named, to: 'sent', at: app.now() }));
    app.now.advance(1000);
    await give('mine again');
    const other = { ...ANA, bankCode: '001', account: '990011223' };
    await reject((await ask(other))[0]);
    const [changed] = (await propose(app, desk, [wish({ payee: other })])) as [Payout];
    assert.deepEqual([changed.proposed_by_id, changed.account_changed_by], [desk.maker.userId, program.id]);
    assert.equal(await isStuck(changed), true, 'the program changed the account');
    await createTestUser(app, { role: 'approver', may: [], paymentServices: [owner.paymentServiceId] });
    assert.deepEqual(await listed('approval'), []);
  });

  test('a batch that a person made was listed where the approver had made the user of that person', async () => {
    const { app, desk, listed } = await open();
    await makeApiToken(app, desk.users.maker.id, { name: 'mine', expiresAt: null }, desk.approver);
    const [payout] = (await propose(app, desk)) as [Payout];
    assert.deepEqual(await listed('approval'), []);
    const decision = { owner: desk.environment, named: { ids: [payout.id] }, by: desk.approver, reason: null };
    assert.equal((await approvePayouts(app, decision)).length, 1);
  });

  test('a verdict that became too old is listed at once', async () => {
    const { app, desk, listed } = await open();
    await propose(app, desk);
    app.now.advance(180 * DAY);
    const [row] = await listed('approval');
    assert.match(row?.reason ?? '', /^the verdict of its account is too old/);
  });

  test('what is approved and in no file after a day is listed, and so is what its sender does not take', async () => {
    const { app, desk, listed } = await open();
    await approved(app, desk);
    app.now.advance(DAY);
    const service = desk.environment.paymentServiceId;
    assert.deepEqual(commands(await listed('approval')), [
      `bin/rubrica payout file --payment-service ${service} --format CODE --account NUMBER`,
    ]);
    const url = 'https://provider.example/transfers';
    await setPayoutSender(app, desk.environment, { kind: 'http', url, key: null }, desk.maker);
    // It answers 200 with nothing in it.
    await carryOutPayouts(app, 10);
    const [row] = await listed('approval');
    assert.equal(row?.reason, 'approved, and its sender cannot be reached');
  });
});
