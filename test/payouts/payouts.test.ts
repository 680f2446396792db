import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disableUser } from '../../src/auth/change-user.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { COMMAND_LINE, validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { availableBalance } from '../../src/books/available-balance.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { selectAlike } from '../../src/payouts/approval/alike-payout-queries.ts';
import { approvePayouts, cancelPayouts, rejectPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { NO_LIMITS, upsertPayoutLimits, upsertPersonLimit } from '../../src/payouts/approval/payout-limit-queries.ts';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import { PAYOUT_STATES, type Payout, type PayoutState, statesBefore } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { type PayoutOutcome, settleOutcomes } from '../../src/payouts/settling/settle-outcomes.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import {
  ANA,
  actor,
  approved,
  formerSender,
  openPayoutDesk,
  type PayoutDesk,
  propose,
  wish,
} from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

const available = (app: TestApp, { environment }: PayoutDesk) =>
  availableBalance(app, { environmentIds: [environment.id], transactionId: 0 }, 'CLP');

const OTHER = { ...ANA, bankCode: '001', account: '990011223' };

test('the states that lead to a state are the reverse of the transition table', () => {
  for (const [state, next] of Object.entries(PAYOUT_STATES)) {
    for (const after of next) assert.ok(statesBefore(after).includes(state as PayoutState));
  }
  assert.deepEqual(statesBefore('approved'), ['awaiting_approval']);
  assert.deepEqual(statesBefore('sent'), ['approved']);
});

forEachEngine('payouts', (openTestDatabase) => {
  const open = async (money?: number) => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openPayoutDesk(app, money === undefined ? {} : { money }) };
  };
  const code = (expected: string) => (error: unknown) => {
    assert.equal((error as { code?: string }).code, expected, String(error));
    return true;
  };
  const decide = (desk: PayoutDesk, ids: string[], by = desk.approver) => ({
    owner: desk.environment,
    named: { ids },
    by,
    reason: 'factura 12',
  });

  /** Pays Ana. Then an owner stores another account of hers with a payout that is never approved. Returns the owner. */
  const changeAccount = async (app: TestApp, desk: PayoutDesk) => {
    const [first] = await approved(app, desk);
    const ids = [first?.id ?? ''];
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, { ids, to: 'sent', at: app.now() }));
    app.now.advance(60_000);
    const both = actor(
      await createTestUser(app, { role: 'owner', may: [], paymentServices: [desk.environment.paymentServiceId] }),
      'owner',
    );
    const batch = { name: 'Two', fileSha256: null };
    await proposePayouts(app, { owner: desk.environment, by: both, wishes: [wish({ payee: OTHER })], batch });
    return both;
  };

  test('approval reserves the money, confirmation moves it, a return reverses it, each with its book entry', async () => {
    const { app, desk } = await open();
    const sender = await formerSender(app, desk);
    const [payout] = await approved(app, desk);
    assert.equal(payout?.state, 'approved');
    assert.equal(await available(app, desk), 990_000);
    const ids = [payout?.id ?? ''];
    for (const to of ['sent', 'confirmed', 'returned'] as const) {
      app.now.advance(1000);
      await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, { ids, to, at: app.now() }, { sender }));
    }
    assert.equal(await available(app, desk), 1_000_000);
    const kinds = await app.db.query('select kind from journal_entries where payout_id is not null order by link');
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['payout_reserved', 'payout_paid', 'payout_reversed'],
    );
    assert.deepEqual((await verifyStore(app)).findings, []);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('the money of a failed or cancelled payout is available again', async () => {
    const { app, desk } = await open();
    const sender = await formerSender(app, desk);
    const [failed, cancelled] = (await approved(app, desk, [wish(), wish()])).map(({ id }) => id) as [string, string];
    assert.equal(await available(app, desk), 980_000);
    await cancelPayouts(app, decide(desk, [cancelled], desk.maker));
    for (const to of ['sent', 'failed'] as const) {
      await app.db.transaction((tx) =>
        transitionPayouts(tx, desk.environment, { ids: [failed], to, at: app.now() }, { sender }),
      );
    }
    assert.equal(await available(app, desk), 1_000_000);
    await assert.rejects(cancelPayouts(app, decide(desk, [failed], desk.maker)), code('PAYOUT_STATE'));
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('a refused decision names the state of the payout and what it allows', async () => {
    const { app, desk } = await open();
    const [payout] = (await approved(app, desk)) as [Payout];
    const draft = { owner: desk.environment, by: desk.maker, wishes: [wish()], batch: null, draft: true };
    const [drafted] = (await proposePayouts(app, draft)).payouts as [Payout];
    const refused = (message: string) => ({ code: 'PAYOUT_STATE', message });
    await assert.rejects(
      approvePayouts(app, decide(desk, [payout.id])),
      refused(`${payout.id} is already in "Approved" (approved): there is nothing left to do.`),
    );
    await assert.rejects(
      approvePayouts(app, decide(desk, [drafted.id])),
      refused(`${drafted.id} is a draft: submit it first.`),
    );
    await assert.rejects(
      rejectPayouts(app, decide(desk, [payout.id])),
      refused(
        `${payout.id} is in "Approved" (approved): only a payout in "Waits for approval" (awaiting_approval) can go to "Rejected" (rejected).`,
      ),
    );
  });

  test('the requester cannot approve their own payout, whatever their role, and the database refuses it too', async () => {
    const { app, desk } = await open();
    const owner = actor(
      await createTestUser(app, { role: 'owner', may: [], paymentServices: [desk.environment.paymentServiceId] }),
      'owner',
    );
    const batch = { name: 'One', fileSha256: null };
    const made = await proposePayouts(app, { owner: desk.environment, by: owner, wishes: [wish()], batch });
    const ids = made.payouts.map(({ id }) => id);
    await assert.rejects(approvePayouts(app, decide(desk, ids, owner)), code('APPROVAL_REFUSED'));
    const past = (set: string) =>
      app.db.transaction((tx) => tx.query(`update payouts set ${set} where id = $1`, [ids[0] ?? '']));
    await assert.rejects(
      past(
        "state = 'approved', approved_at = 1, approval = 'person', approved_by = 'x', approved_by_id = proposed_by_id",
      ),
      /payouts_two_people|CHECK/,
    );
    await assert.rejects(past("state = 'approved'"), /payouts_leave_approved|CHECK/);
    await assert.rejects(
      past("state = 'sent', approval = 'automatic', approved_at = 1"),
      /payouts_approved_once|CHECK/,
    );
    await assert.rejects(past("proposed_by_id = 'us_other'"), /append-only/);
    await assert.rejects(past('amount = 1'), /append-only/);
    assert.equal((await selectPayoutAnywhere(app.db, ids[0] ?? ''))?.state, 'awaiting_approval');
  });

  test('a program, a user of another merchant and an unnamed command approve nothing', async () => {
    const { app, desk } = await open();
    const ids = (await propose(app, desk)).map(({ id }) => id);
    const nobody = { kind: 'command line', name: 'command line: a@b', userId: null, origin: null } as const;
    await assert.rejects(approvePayouts(app, decide(desk, ids, desk.program)), code('PERSON_NEEDED'));
    await assert.rejects(approvePayouts(app, decide(desk, ids, nobody)), code('PERSON_NEEDED'));
    const elsewhere = actor(await createTestUser(app, { role: 'approver', may: [], paymentServices: [] }), 'approver');
    await assert.rejects(approvePayouts(app, decide(desk, ids, elsewhere)), code('PERMISSION_MISSING'));
    const batch = { name: 'x', fileSha256: null };
    const proposal = { owner: desk.environment, by: nobody, wishes: [wish()], batch };
    await assert.rejects(proposePayouts(app, proposal), code('PERSON_NEEDED'));
    const changes = [rejectPayouts, cancelPayouts];
    for (const change of changes)
      await assert.rejects(change(app, decide(desk, ids, elsewhere)), code('PERMISSION_MISSING'));
    await assert.rejects(rejectPayouts(app, decide(desk, ids, desk.maker)), code('PERMISSION_MISSING'));
    await assert.rejects(
      approvePayouts(app, decide(desk, [...ids, 'po_unknown'])),
      code('NOT_FOUND'),
      'an approval applies to all payouts or to none',
    );
    assert.equal((await rejectPayouts(app, decide(desk, ids))).length, 1);
    assert.equal(await available(app, desk), 1_000_000);
  });

  test('a payout to a changed account needs an approver other than the person who changed it', async () => {
    const { app, desk } = await open();
    const both = await changeAccount(app, desk);
    // Another person proposes to the same account.
    const [second] = await propose(app, desk, [wish({ payee: OTHER, amount: 20_000 })]);
    assert.equal(second?.account_changed_by, both.userId);
    const [shown] = await showPayouts(app, second === undefined ? [] : [second]);
    assert.deepEqual(
      shown?.warnings.map((warning) => warning.code),
      ['ACCOUNT_CHANGED'],
    );
    const { en = '', es = '' } = shown?.warnings[0]?.text ?? {};
    assert.match(en, /^When it was proposed, /, 'true after it arrived too');
    assert.match(es, /^Cuando se propuso, /);
    await assert.rejects(approvePayouts(app, decide(desk, [second?.id ?? ''], both)), code('APPROVAL_REFUSED'));
    assert.equal((await approvePayouts(app, decide(desk, [second?.id ?? '']))).length, 1);
  });

  test('the person who changed an account cannot approve a payout to it, even after another person revalidated it', async () => {
    const { app, desk } = await open();
    const both = await changeAccount(app, desk);
    app.now.advance(181 * 86_400_000);
    const [second] = await propose(app, desk, [wish({ payee: OTHER, amount: 20_000 })]);
    assert.deepEqual([second?.recipient_version, second?.account_changed_by], [2, desk.maker.userId]);
    await assert.rejects(approvePayouts(app, decide(desk, [second?.id ?? ''], both)), code('APPROVAL_REFUSED'));
    assert.equal((await approvePayouts(app, decide(desk, [second?.id ?? '']))).length, 1);
  });

  test('an account that was paid before is validated again when another one was paid since', async () => {
    const { app, desk } = await open();
    for (const payee of [ANA, OTHER]) {
      const [{ id }] = (await approved(app, desk, [wish({ payee })])) as [Payout];
      const sent = { ids: [id], to: 'sent', at: app.now() } as const;
      await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent));
      app.now.advance(60_000);
    }
    const [back] = (await propose(app, desk)) as [Payout];
    assert.deepEqual([back.recipient_version, back.account_changed_by], [2, desk.maker.userId]);
    assert.equal(back.validated_at, app.now());
  });

  test('a person who changed an account by the console, the command line or a program cannot approve a payout to it', async () => {
    for (const way of ['console', 'command line', 'program', 'program, by a token'] as const) {
      const { app, desk } = await open();
      const { paymentServiceId } = desk.environment;
      const [first] = await approved(app, desk);
      const ids = [first?.id ?? ''];
      await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, { ids, to: 'sent', at: app.now() }));
      const user = await createTestUser(app, { role: 'owner', may: [], paymentServices: [paymentServiceId] });
      const boss = actor(user, 'owner');
      const token = { name: 'mine', expiresAt: null };
      const isProgram = way.startsWith('program');
      const maker = way === 'program' ? boss : userActor({ ...user, role: 'owner', token: 'first' }, '192.0.2.1');
      if (isProgram) await makeApiToken(app, desk.users.program.id, token, maker);
      const { id } = isProgram ? desk.users.program : way === 'console' ? user : COMMAND_LINE;
      const seen = way === 'command line' ? null : new Set([desk.environment.id]);
      app.now.advance(60_000);
      const account = { ...OTHER, holderName: OTHER.name };
      const { id: validationId } = await validateBankAccount(app, { id }, account);
      const input = { validationId, paymentServiceId, account, name: 'Ana Núñez', email: null };
      const by = isProgram ? desk.program : boss;
      const recipient = await keepRecipient(app, { id, environmentIds: seen }, first?.recipient_id ?? '', input, by);
      assert.equal(recipient.createdBy, by.userId);
      const [second] = await propose(app, desk, [wish({ payee: { ...OTHER, email: null } })]);
      assert.deepEqual([second?.recipient_version, second?.account_changed_by], [2, by.userId]);
      await assert.rejects(approvePayouts(app, decide(desk, [second?.id ?? ''], boss)), code('APPROVAL_REFUSED'), way);
      assert.equal((await approvePayouts(app, decide(desk, [second?.id ?? '']))).length, 1);
    }
  });

  test('a person who changed an account before anything left to its RUT cannot approve the first payout to it', async () => {
    for (const before of ['kept', 'approved', 'failed'] as const) {
      const { app, desk } = await open();
      const { environment } = desk;
      const { paymentServiceId } = environment;
      await setPayoutLimits(app, environment, { automatic_per_payout: 10_000 }, TESTER);
      const [first] = before === 'kept' ? await propose(app, desk) : await approved(app, desk);
      const move = (to: 'sent' | 'failed') =>
        app.db.transaction((tx) => transitionPayouts(tx, environment, { ids: [first?.id ?? ''], to, at: app.now() }));
      if (before === 'failed') for (const to of ['sent', 'failed'] as const) await move(to);
      const user = await createTestUser(app, { role: 'owner', may: [], paymentServices: [paymentServiceId] });
      const boss = actor(user, 'owner');
      const account = { ...OTHER, holderName: OTHER.name };
      const { id: validationId } = await validateBankAccount(app, { id: user.id }, account);
      const input = { validationId, paymentServiceId, account, name: 'Ana Núñez', email: null };
      const seen = { id: user.id, environmentIds: new Set([environment.id]) };
      await keepRecipient(app, seen, first?.recipient_id ?? '', input, boss);
      const wishes = [wish({ payee: { ...OTHER, email: null } })];
      const [second] = await propose(app, desk, wishes);
      assert.deepEqual([second?.recipient_version, second?.account_changed_by], [2, user.id], before);
      await assert.rejects(approvePayouts(app, decide(desk, [second?.id ?? ''], boss)), code('APPROVAL_REFUSED'));
      const asked = { owner: environment, by: desk.program, wishes: [wish({ payee: { ...OTHER, email: null } })] };
      const [byProgram] = (await proposePayouts(app, { ...asked, batch: null })).payouts;
      assert.equal(byProgram?.reason, 'waits for a person: the account was changed since the last payment');
      assert.equal((await approvePayouts(app, decide(desk, [second?.id ?? '']))).length, 1);
    }
  });

  test('the command line cannot save or change a recipient without the name of a person', async () => {
    const { app, desk } = await open();
    const { paymentServiceId } = desk.environment;
    const [first] = await approved(app, desk);
    const seen = { ...COMMAND_LINE, environmentIds: null };
    const account = { ...OTHER, holderName: OTHER.name };
    const { id: validationId } = await validateBankAccount(app, COMMAND_LINE, account);
    const input = { validationId, paymentServiceId, account, name: 'Ana Núñez', email: null };
    for (const id of [first?.recipient_id ?? '', null])
      await assert.rejects(keepRecipient(app, seen, id, input, TESTER), code('PERSON_NEEDED'));
    assert.equal((await app.db.query('select id from recipients')).length, 1);
  });

  test('payouts to a new account that are proposed at the same moment share one recipient', async () => {
    const { app, desk } = await open();
    let rival: Payout[] | undefined;
    const transaction: typeof app.db.transaction = async (work, kind) => {
      const isValidated = (await app.db.query('select id from bank_account_validations')).length > 0;
      if (isValidated && rival === undefined) rival = await propose(app, desk);
      return app.db.transaction(work, kind);
    };
    const [overtaken] = await propose({ ...app, db: { ...app.db, transaction } }, desk);
    assert.equal(overtaken?.recipient_id, rival?.[0]?.recipient_id);
    assert.equal((await app.db.query('select id from recipients')).length, 1);
  });

  test('concurrent payouts to a recipient with an expired verdict share one new validation', async () => {
    const { app, desk } = await open();
    await propose(app, desk);
    app.now.advance(181 * 86_400_000);
    const asked = Array.from({ length: 4 }, () => propose(app, desk));
    const made = (await Promise.all(asked)).flat();
    assert.equal(made.length, 4);
    const versions = await app.db.query('select version from recipients order by version');
    assert.deepEqual([...new Set(made.map(({ recipient_version }) => recipient_version))], [2]);
    assert.deepEqual(
      versions.map(({ version }) => version),
      [1, 2],
    );
  });

  test('a payout with an expired verdict cannot be approved', async () => {
    const { app, desk } = await open();
    const ids = (await propose(app, desk)).map(({ id }) => id);
    app.now.advance(181 * 86_400_000);
    await assert.rejects(approvePayouts(app, decide(desk, ids)), code('APPROVAL_REFUSED'));
    const [payout] = [await selectPayoutAnywhere(app.db, ids[0] ?? '')];
    const [shown] = await showPayouts(app, payout === null ? [] : [payout]);
    assert.ok(shown?.warnings.some((warning) => warning.code === 'NOT_PAYABLE'));
  });

  test('a second payout of the same amount to the same RUT carries warnings', async () => {
    const { app, desk } = await open();
    await propose(app, desk);
    const [again] = await propose(app, desk);
    const [shown] = await showPayouts(app, again === undefined ? [] : [again]);
    assert.deepEqual(
      shown?.warnings.map((warning) => warning.code),
      ['SAME_AMOUNT', 'EQUAL_WITHOUT_RESULT'],
    );
    for (const { text } of shown?.warnings ?? []) {
      assert.match(text.en, /\(Waits for approval\)/);
      assert.match(text.es, /\(Espera aprobación\)/);
    }
  });

  test('the parts of one split payout are not compared with each other, only with other payouts', async () => {
    const { app, desk } = await open();
    const most = app.config.payoutRailLimit;
    const parts = await propose(app, desk, [wish({ amount: 30 * most })]);
    app.now.advance(1000);
    const [other] = await propose(app, desk, [wish({ amount: most })]);
    const all = [...parts, ...(other === undefined ? [] : [other])];
    const alike = await selectAlike(
      app.db,
      desk.environment.id,
      all.map(({ id }) => id),
      0,
    );
    assert.equal(alike.length, 31);
    const said = (await showPayouts(app, all)).map(
      ({ warnings }) => warnings.find((warning) => warning.code === 'EQUAL_WITHOUT_RESULT')?.text.en ?? '',
    );
    assert.ok(said.slice(0, 30).every((text) => text.includes(other?.id ?? '')));
    assert.ok(parts.some(({ id }) => said[30]?.includes(id)));
    const [part] = await showPayouts(app, parts.slice(0, 1));
    assert.equal(part?.warnings.filter(({ text }) => text.en.includes(other?.id ?? '')).length, 2);
  });

  test('to another name or e-mail address of a known account make a new version of its recipient', async () => {
    const { app, desk } = await open();
    const to = async (payee: Partial<typeof ANA>) => {
      const payouts = await propose(app, desk, [wish({ payee: { ...ANA, ...payee } })]);
      const [shown] = await showPayouts(app, payouts);
      const { id = '', name, email } = shown?.recipient ?? {};
      return [id, name, email];
    };
    const [first, ...told] = await to({});
    assert.deepEqual(told, [ANA.name, ANA.email]);
    assert.deepEqual(await to({}), [first, ANA.name, ANA.email]);
    assert.deepEqual((await to({ email: 'pagos@example.cl' })).slice(1), [ANA.name, 'pagos@example.cl']);
    assert.deepEqual((await to({ name: 'Ana María Núñez', email: ANA.email })).slice(1), [
      'Ana María Núñez',
      ANA.email,
    ]);
  });

  test('are not compared with equal payouts that were rejected, or made more than 30 days before', async () => {
    const { app, desk } = await open();
    await propose(app, desk, [wish()]);
    app.now.advance(30 * 86_400_000 + 1);
    const [rejected, last] = [...(await propose(app, desk, [wish()])), ...(await propose(app, desk, [wish()]))];
    const warningsOfLast = async () => (await showPayouts(app, last === undefined ? [] : [last]))[0]?.warnings ?? [];
    const equal = async () => (await warningsOfLast()).filter(({ code: warning }) => warning === 'SAME_AMOUNT');
    assert.equal((await equal())[0]?.text.en.includes(rejected?.id ?? ''), true);
    await rejectPayouts(app, decide(desk, [rejected?.id ?? '']));
    assert.deepEqual(await equal(), []);
  });

  test('concurrent approvals never reserve more than the available balance', async () => {
    const { app, desk } = await open(50_000);
    const payouts = await propose(
      app,
      desk,
      Array.from({ length: 8 }, () => wish()),
    );
    const outcomes = await Promise.allSettled(payouts.map(({ id }) => approvePayouts(app, decide(desk, [id]))));
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 5);
    for (const outcome of outcomes) if (outcome.status === 'rejected') code('INSUFFICIENT_BALANCE')(outcome.reason);
    assert.equal(await available(app, desk), 0);
  });

  test('limits hold for each payout, batch, day and approver', async () => {
    const { app, desk } = await open();
    const limit = (limits: Partial<typeof NO_LIMITS>) =>
      app.db.transaction((tx) => upsertPayoutLimits(tx, desk.environment.id, { ...NO_LIMITS, ...limits }));
    await limit({ per_payout: 9_999 });
    await assert.rejects(propose(app, desk), code('PAYOUT_LIMIT_REACHED'));
    await limit({ per_batch: 15_000 });
    await assert.rejects(propose(app, desk, [wish(), wish()]), code('PAYOUT_LIMIT_REACHED'));
    await limit({ per_batch: 20_000 });
    assert.equal((await propose(app, desk, [wish(), wish()])).length, 2, 'a total equal to the limit is allowed');
    await limit({ per_day: 20_000 });
    assert.equal((await approved(app, desk, [wish(), wish()])).length, 2, 'an amount equal to the limit is allowed');
    await assert.rejects(approved(app, desk, [wish({ amount: 1 })]), code('PAYOUT_LIMIT_REACHED'));
    await limit({});
    await app.db.transaction((tx) => upsertPersonLimit(tx, desk.approver.userId ?? '', 30_000));
    assert.equal((await approved(app, desk)).length, 1, 'an amount equal to the limit is allowed');
    await assert.rejects(approved(app, desk, [wish({ amount: 1 })]), {
      code: 'PAYOUT_LIMIT_REACHED',
      message: /You may approve \$30\.000 CLP a day, and \$0 CLP of it is left today\. Another person may approve it\./,
    });
    app.now.advance(86_400_000);
    assert.equal((await approved(app, desk)).length, 1);
  });

  test('the payout limit also counts the sum of split parts, and the batch limit payouts approved one by one', async () => {
    const { app, desk } = await open(100_000_000);
    const limit = (limits: Partial<typeof NO_LIMITS>) =>
      app.db.transaction((tx) => upsertPayoutLimits(tx, desk.environment.id, { ...NO_LIMITS, ...limits }));
    const refused = (ids: string[]) =>
      assert.rejects(approvePayouts(app, decide(desk, ids)), code('PAYOUT_LIMIT_REACHED'));
    const idsOf = async (amounts: number[]) =>
      (
        await propose(
          app,
          desk,
          amounts.map((amount) => wish({ amount })),
        )
      ).map(({ id }) => id) as [string, string];
    await limit({ per_payout: 10_000_000 });
    await assert.rejects(propose(app, desk, [wish({ amount: 10_000_001 })]), code('PAYOUT_LIMIT_REACHED'));
    const split = await idsOf([10_000_000, 5_000_000]);
    await limit({ per_payout: 9_999_999 });
    await refused(split);
    await limit({ per_payout: 10_000_000 });
    assert.equal((await approvePayouts(app, decide(desk, split.slice(0, 1)))).length, 1);
    await limit({ per_payout: 9_999_999 });
    await refused(split.slice(1));

    await limit({});
    const [first, second] = await idsOf([10_000, 10_000]);
    await limit({ per_batch: 15_000 });
    await refused([first, second]);
    await approvePayouts(app, decide(desk, [first]));
    await refused([second]);
    await cancelPayouts(app, decide(desk, [first], desk.maker));
    assert.equal((await approvePayouts(app, decide(desk, [second]))).length, 1, 'a cancelled payout does not count');
  });

  test('a person’s limit holds across concurrent approvals for two merchants', async () => {
    const { app, desk } = await open();
    const other = await openPayoutDesk(app);
    const paymentServices = [desk.environment, other.environment].map(({ paymentServiceId }) => paymentServiceId);
    const both = actor(await createTestUser(app, { role: 'approver', may: [], paymentServices }), 'approver');
    await app.db.transaction((tx) => upsertPersonLimit(tx, both.userId ?? '', 15_000));
    const waiting = await Promise.all([desk, other].map(async (one) => ({ one, made: await propose(app, one) })));
    const outcomes = await Promise.allSettled(
      waiting.map(({ one, made }) =>
        approvePayouts(
          app,
          decide(
            one,
            made.map(({ id }) => id),
            both,
          ),
        ),
      ),
    );
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    for (const outcome of outcomes) if (outcome.status === 'rejected') code('PAYOUT_LIMIT_REACHED')(outcome.reason);
  });

  test('an approval that waits for a concurrent change of the approver’s limit applies the new limit', async () => {
    const { app, desk } = await open();
    const userId = desk.approver.userId ?? '';
    const limitTo = (perDay: number, meanwhile = async () => {}) =>
      app.db.transaction(async (tx) => {
        await upsertPersonLimit(tx, userId, perDay);
        await meanwhile();
      });
    await limitTo(50_000);
    const made = await propose(app, desk);
    let approving: Promise<unknown> = Promise.resolve();
    await limitTo(5_000, async () => {
      const ids = made.map(({ id }) => id);
      approving = approvePayouts(app, decide(desk, ids)).catch((error: unknown) => error);
      await untilQueued(app.db);
    });
    code('PAYOUT_LIMIT_REACHED')(await approving);
  });

  test('a program’s payout is approved automatically up to its limits; above them it waits for a person', async () => {
    const { app, desk } = await open();
    const limit = (limits: Partial<typeof NO_LIMITS>) =>
      app.db.transaction((tx) =>
        upsertPayoutLimits(tx, desk.environment.id, { ...NO_LIMITS, automatic_per_payout: 10_000, ...limits }),
      );
    await limit({ automatic_count_per_hour: 2 });
    const ask = async (amount: number, payee = ANA) => {
      const proposal = { owner: desk.environment, by: desk.program, wishes: [wish({ amount, payee })], batch: null };
      const [payout] = (await proposePayouts(app, proposal)).payouts;
      return [payout?.state, payout?.approval, payout?.reason];
    };
    assert.deepEqual(await ask(10_000), ['approved', 'automatic', null]);
    assert.deepEqual(await ask(10_001), ['awaiting_approval', null, 'waits for a person: above $10.000 CLP']);
    assert.deepEqual(await ask(9_000), ['approved', 'automatic', null]);
    assert.deepEqual(await ask(1_000), ['awaiting_approval', null, 'waits for a person: more than 2 in an hour']);
    app.now.advance(3_600_001);
    assert.deepEqual(await ask(1_000), ['approved', 'automatic', null]);
    await approved(app, desk);
    await limit({ automatic_per_day: 20_500 });
    const ofPrograms = 'waits for a person: the limit of a day for programs is reached';
    assert.deepEqual(await ask(501), ['awaiting_approval', null, ofPrograms]);
    assert.deepEqual(await ask(500), ['approved', 'automatic', null], 'payouts that a person approved do not count');
    await limit({ per_day: 31_000 });
    assert.deepEqual(await ask(501), [
      'awaiting_approval',
      null,
      'waits for a person: the limit of the day is reached',
    ]);
    assert.deepEqual(await ask(500), ['approved', 'automatic', null]);
  });

  test('a program’s payout of the whole balance is approved automatically, and a larger one waits for a person', async () => {
    const { app, desk } = await open(10_000);
    const rule = { ...NO_LIMITS, automatic_per_payout: 20_000 };
    await app.db.transaction((tx) => upsertPayoutLimits(tx, desk.environment.id, rule));
    for (const [amount, state, reason] of [
      [10_001, 'awaiting_approval', 'waits for a person: the balance does not cover it'],
      [10_000, 'approved', null],
    ] as const) {
      const proposal = { owner: desk.environment, by: desk.program, wishes: [wish({ amount })], batch: null };
      const [payout] = (await proposePayouts(app, proposal)).payouts;
      assert.deepEqual([payout?.state, payout?.reason], [state, reason]);
    }
  });

  test('a program that is disabled while the accounts of its payouts are validated makes none', async () => {
    const { app, desk } = await open();
    await app.db.transaction((tx) =>
      upsertPayoutLimits(tx, desk.environment.id, { ...NO_LIMITS, automatic_per_payout: 10_000 }),
    );
    let isFirst = true;
    const transaction: typeof app.db.transaction = async (work, kind) => {
      if (isFirst) await disableUser(app, desk.users.program.id, TESTER);
      isFirst = false;
      return app.db.transaction(work, kind);
    };
    const proposal = { owner: desk.environment, by: desk.program, wishes: [wish()], batch: null };
    const proposing = proposePayouts({ ...app, db: { ...app.db, transaction } }, proposal);
    await assert.rejects(proposing, { code: 'TOKEN_INVALID' });
    for (const table of ['payouts', 'recipients']) assert.deepEqual(await app.db.query(`select id from ${table}`), []);
  });

  test('after a restore a program’s payout waits for a person, because it may repeat a lost one', async () => {
    const { app, desk } = await open();
    const rule = { ...NO_LIMITS, automatic_per_payout: 10_000 };
    await app.db.transaction((tx) => upsertPayoutLimits(tx, desk.environment.id, rule));
    await beginEpoch(app, [], 0, TESTER);
    const proposal = { owner: desk.environment, by: desk.program, wishes: [wish()], batch: null };
    const [payout] = (await proposePayouts(app, proposal)).payouts;
    assert.deepEqual([payout?.state, payout?.approval], ['awaiting_approval', null]);
    assert.match(payout?.reason ?? '', /restored/);
  });

  test('of two concurrent contrary results, the first settles the payout and the second is a contradiction', async () => {
    const { app, desk } = await open();
    const ids = (await approved(app, desk)).map(({ id }) => id);
    const [id = ''] = ids;
    const { environment: owner } = desk;
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids, to: 'sent', at: app.now() }));
    const say = (outcome: PayoutOutcome, meanwhile = async () => {}) =>
      app.db.transaction(async (tx) => {
        const settled = await settleOutcomes(tx, owner, [{ id, outcome, reason: null }], { at: app.now() });
        await meanwhile();
        return settled;
      });
    let later: ReturnType<typeof say> | undefined;
    const first = await say('confirmed', async () => {
      later = say('failed');
      await untilQueued(app.db);
    });
    assert.deepEqual([first.settled.length, (await later)?.contradicted.length], [1, 1]);
    const { state, contradiction } = (await selectPayoutAnywhere(app.db, id)) ?? {};
    assert.deepEqual([state, contradiction], ['confirmed', 'failed']);
  });

  test('concurrent requests with one id make one payout; the same id with other fields is a conflict', async () => {
    const { app, desk } = await open();
    const one = wish();
    const ask = (changes = {}) =>
      proposePayouts(app, { owner: desk.environment, by: desk.program, wishes: [{ ...one, ...changes }], batch: null });
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.equal(new Set(answers.map(({ payouts }) => payouts[0]?.id)).size, 1);
    assert.equal(answers.filter(({ kind }) => kind === 'proposed').length, 1);
    await assert.rejects(ask({ amount: 10_001 }), code('PAYOUT_CONFLICT'));
    await assert.rejects(ask({ payee: { ...ANA, name: 'Otra' } }), code('PAYOUT_CONFLICT'));
    assert.equal((await app.db.query('select id from payouts')).length, 1);
  });

  test('the same file again is the same batch, and a file with a bad row leaves nothing behind', async () => {
    const { app, desk } = await open();
    const batch = { name: 'nomina.csv', fileSha256: 'ab'.repeat(32) };
    const wishes = [...Array.from({ length: 7 }, () => wish()), wish({ payee: OTHER })];
    const proposal = { owner: desk.environment, by: desk.maker, wishes, batch };
    const bad = [...wishes, wish({ amount: 15_000_000, payee: { ...ANA, rut: '12.531.909-3' } })];
    const worse = [wish({ payee: { ...ANA, rut: '12.531.909-3' } }), wish({ amount: Number.NaN })];
    await assert.rejects(proposePayouts(app, { ...proposal, wishes: bad }), (error: unknown) => {
      const { extras } = error as { extras: { errors: { pointer: string }[] } };
      assert.deepEqual(
        extras.errors.map(({ pointer }) => pointer),
        ['/8/recipientData/rut'],
      );
      return true;
    });
    await assert.rejects(proposePayouts(app, { ...proposal, wishes: worse }), (error: unknown) => {
      const { code, extras } = error as { code: string; extras: { errors: { pointer: string }[] } };
      const pointers = extras.errors.map(({ pointer }) => pointer);
      assert.deepEqual([code, ...pointers], ['INVALID_PAYOUT', '/0/recipientData/rut', '/1/amount']);
      return true;
    });
    for (const table of ['payouts', 'payout_batches', 'recipients']) {
      assert.deepEqual(await app.db.query(`select * from ${table}`), []);
    }
    const first = await proposePayouts(app, proposal);
    const again = await proposePayouts(app, proposal);
    assert.deepEqual([first.kind, again.kind, again.batch?.id], ['proposed', 'replayed', first.batch?.id]);
    assert.deepEqual(
      again.payouts.map(({ reference }) => reference),
      wishes.map(({ reference }) => reference),
      'the payouts of a batch are in the order of the wishes',
    );
  });

  test('each payout of a file has the name of its row, also beside another name for the same account', async () => {
    const { app, desk } = await open();
    const rows = (...names: (string | null)[]) => names.map((name) => wish({ payee: { ...ANA, name, email: null } }));
    const shown = async (payouts: Payout[]) =>
      (await showPayouts(app, payouts)).map(({ recipient }) => `${recipient?.name} ${recipient?.version}`);
    const first = await propose(app, desk, rows('Ana', null, 'Ana Núñez', 'Ana'));
    assert.deepEqual(await shown(first), ['Ana 1', 'Ana 1', 'Ana Núñez 2', 'Ana 1']);
    const second = await propose(app, desk, rows('Ana Soto', 'Ana Núñez', null));
    assert.deepEqual(await shown(second), ['Ana Soto 3', 'Ana Núñez 2', 'Ana Núñez 2']);
    assert.equal(new Set([...first, ...second].map(({ recipient_id }) => recipient_id)).size, 1);
    const third = await propose(app, desk, [
      ...rows(null, ...Array.from({ length: 500 }, () => 'Ana B')),
      ...rows('Ana', 'Ana B'),
    ]);
    assert.deepEqual((await shown(third)).slice(-2), ['Ana 5', 'Ana B 4']);
  });

  test('an amount above the limit of one transfer becomes several payouts', async () => {
    const { app, desk } = await open();
    const payouts = await propose(app, desk, [wish({ reference: 'BIG', amount: 15_000_000 })]);
    assert.deepEqual(
      payouts
        .map(({ reference, amount }) => [reference, amount])
        .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      [
        ['BIG/1', 7_000_000],
        ['BIG/2', 7_000_000],
        ['BIG/3', 1_000_000],
      ],
    );
    const [shown] = await showPayouts(app, payouts.slice(0, 1));
    assert.deepEqual(
      shown?.warnings.map((warning) => warning.code),
      ['NOT_COVERED'],
    );
  });
});
