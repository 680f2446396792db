import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import type { Actor } from '../../src/audit/actor.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { approvePayouts, rejectPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { selectWaitingApprovals } from '../../src/payouts/waiting-payout-queries.ts';
import { atConsole } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { TestApp } from '../support/test-app.ts';
import { ANA, actor, approved, openPayoutDesk, type PayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('a payout of a payment service that moved', (openTestDatabase) => {
  const open = async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    // Both databases have the same MASTER_KEY, which a move of payouts needs.
    await identityHashes(to);
    return { from, to, desk: await openPayoutDesk(from) };
  };
  const approve = (app: TestApp, desk: PayoutDesk, ids: string[], by: Actor) =>
    approvePayouts(app, { owner: desk.environment, named: { ids }, by, reason: null });
  const refused = { code: 'APPROVAL_REFUSED' };

  test('cannot be approved there by its requester, who has another user id there', async () => {
    const { from, to, desk } = await open();
    const owner = await createTestUser(from, { role: 'owner', may: [] });
    const [payout] = await propose(from, { ...desk, maker: actor(owner, 'owner') });
    const [ofProgram] = (
      await proposePayouts(from, { owner: desk.environment, by: desk.program, wishes: [wish()], batch: null })
    ).payouts;
    await movePaymentService(from, to, wishOf(desk.environment));
    const there = actor(await createTestUser(to, { email: owner.email, role: 'owner', may: [] }), 'owner');
    const waiting = await selectWaitingApprovals(
      to.db,
      { now: to.now(), before: 0, validatedBefore: 0, indirect: [], unpaid: [] },
      10,
    );
    assert.deepEqual(
      waiting.map(({ id, hindrance }) => [id, hindrance]),
      [
        [payout?.batch_id, 'approver'],
        [ofProgram?.id, 'made_elsewhere'],
      ],
      'the first has no other approver yet, and a holder of the program’s token there may be an approver here',
    );
    const holder = actor(await createTestUser(to, { email: 'holder@example.cl', role: 'owner', may: [] }), 'owner');
    const { id } = await createTestUser(to, { email: desk.users.program.email, may: ['payouts:create'] });
    await makeApiToken(to, id, { name: 'mine', expiresAt: null }, holder);
    await assert.rejects(approve(to, desk, [payout?.id as string], there), refused);
    await assert.rejects(approve(to, desk, [ofProgram?.id as string], holder), refused);
    await approve(to, desk, [payout?.id as string], holder);
    await assert.rejects(approve(to, desk, [ofProgram?.id as string], there), refused);
    const named = { ids: [ofProgram?.id as string] };
    await rejectPayouts(to, { owner: desk.environment, named, by: there, reason: 'de nuevo' });
  });

  test('is no longer among those that the first page of the console says wait for a signature', async () => {
    const { from, desk, to } = await open();
    await propose(from, desk);
    await using server = await startTestServer(from);
    const approver = atConsole(server, { 'accept-language': 'en', ...desk.users.approver.console });
    assert.match((await approver.get('')).text, /1 payout waits for a signature/);
    await movePaymentService(from, to, wishOf(desk.environment));
    assert.doesNotMatch((await approver.get('')).text, /for a signature/);
  });

  test('moves even if its recipient’s row was tampered with', async () => {
    const { from, to, desk } = await open();
    await approved(from, desk);
    const [row] = await from.db.query<{ sealed: string }>('select sealed_details as sealed from recipients');
    const changed = row?.sealed.replace(/.{22}$/, 'A'.repeat(22)) ?? '';
    await from.db.transaction((tx) => tx.query('update recipients set sealed_details = $1', [changed]));
    await movePaymentService(from, to, wishOf(desk.environment));
    const [there] = await to.db.query<{ sealed: string }>('select sealed_details as sealed from recipients');
    assert.equal(there?.sealed, changed);
  });

  test('to an account changed before the move can be approved only after the account is saved again', async () => {
    const { from, to, desk } = await open();
    const [first] = await approved(from, desk);
    const ids = [first?.id as string];
    await from.db.transaction((tx) => transitionPayouts(tx, desk.environment, { ids, to: 'sent', at: from.now() }));
    const changer = await createTestUser(from, { role: 'owner', may: [] });
    from.now.advance(60_000);
    await propose(from, { ...desk, maker: actor(changer, 'owner') }, [wish({ payee: OTHER })]);
    const [payout] = await propose(from, desk, [wish({ payee: OTHER, amount: 20_000 })]);
    assert.equal(payout?.account_changed_by, changer.id);
    await movePaymentService(from, to, wishOf(desk.environment));
    const there = actor(await createTestUser(to, { email: changer.email, role: 'owner', may: [] }), 'owner');
    const other = actor(await createTestUser(to, { email: 'other@example.cl', role: 'owner', may: [] }), 'owner');
    for (const by of [there, other]) await assert.rejects(approve(to, desk, [payout.id], by), refused);
    const waiting = (await listAttention(to, 'approval', 10)).find(({ id }) => id === payout.batch_id);
    const about = [waiting?.id, waiting?.command, /a user of another database/.test(waiting?.reason ?? '')];
    assert.deepEqual(about, [
      payout.batch_id,
      `bin/rubrica batch reject ${payout.batch_id} --reason TEXT --as EMAIL`,
      true,
    ]);
    const [shown] = await showPayouts(to, [payout]);
    assert.ok(shown?.warnings.some((warning) => warning.code === 'NOT_PAYABLE'));

    const { userId: id } = other as { userId: string };
    const account = { ...OTHER, holderName: OTHER.name };
    const { id: validationId } = await validateBankAccount(to, { id }, account);
    const input = { validationId, paymentServiceId: null, account, name: 'Ana Núñez', email: null };
    await keepRecipient(to, { id, environmentIds: null }, payout.recipient_id, input, other);
    const maker = actor(await createTestUser(to, { email: 'maker@example.cl', role: 'owner', may: [] }), 'owner');
    const [again] = await propose(to, { ...desk, maker }, [wish({ payee: { ...OTHER, email: null } })]);
    await assert.rejects(approve(to, desk, [again?.id as string], other), refused);
    await approve(to, desk, [again?.id as string], there);
  });
});

const OTHER = { ...ANA, bankCode: '037', account: '123456789' };
