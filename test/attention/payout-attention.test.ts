import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { measureAttention } from '../../src/attention/measure-attention.ts';
import { type Actor, nameWithToken } from '../../src/audit/actor.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { updateApiTokensEnded } from '../../src/auth/tokens/api-token-queries.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import type { Language } from '../../src/lib/language.ts';
import { returnPayout } from '../../src/movements/return-movement.ts';
import { approvePayouts, cancelPayouts, rejectPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { payableBalance } from '../../src/payouts/payout-balance.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { eraseRecipients } from '../../src/payouts/recipients/forget-recipients.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import type { PayoutOutcome } from '../../src/payouts/settling/settle-outcomes.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { endContradiction } from '../../src/statements/end-contradiction.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { payOut } from '../support/test-movements.ts';
import {
  ANA,
  approved,
  formerSender,
  openPayoutDesk,
  type PayoutDesk,
  propose,
  wish,
} from '../support/test-payouts.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const evidence = { name: 'portal.pdf', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };

/** The reason of an item without the reference that it begins with. */
const nameless = ({ reason = '' }: { reason?: string } = {}) => reason.replace(/^payout-\d+: /, '');

forEachEngine('payouts that wait for a person', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const listed = async (kind: 'payout' | 'approval') => {
      const rows = await listAttention(app, kind, 10);
      const measured = (await measureAttention(app)).find((one) => one.kind === kind);
      assert.equal(measured?.count, rows.length);
      assert.equal(measured?.oldest ?? null, rows[0]?.since ?? null);
      // Each reason begins with the reference of the payout.
      return rows.map((row) => ({ ...row, reason: nameless(row) }));
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

  test('include one without an answer for an hour, with its age and the command that settles it', async () => {
    const { app, desk, listed } = await open();
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    const [payout] = (await approved(app, desk, [wish({ amount: 6006 })])) as [Payout];
    const sent = app.now();
    await carryOutPayouts(app, 10);
    app.now.advance(HOUR - 1);
    assert.deepEqual(await listed('payout'), []);
    app.now.advance(1);
    await carryOutPayouts(app, 10);
    const command = `bin/rubrica payout settle ${payout.id} --outcome confirmed|failed|returned --evidence FILE --reason TEXT --as EMAIL`;
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

  test('include one in a file without results of the bank for three days', async () => {
    const { app, desk, listed } = await open();
    const [payout] = (await approved(app, desk)) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const files = { owner: desk.environment, by: desk.maker, format: 'santander', payer, batchId: null };
    const [made] = await makePayoutFiles(app, files);
    app.now.advance(3 * DAY - 1);
    assert.deepEqual(await listed('payout'), []);
    app.now.advance(1);
    const [row] = await listed('payout');
    assert.match(row?.reason ?? '', new RegExp(`payout result FILE --file ${made?.file.id} --as EMAIL$`));
    await settle(app, desk, payout.id);
    assert.deepEqual(await listed('payout'), []);
  });

  test('include a contradicted one at once, until a person clears the contradiction', async () => {
    const { app, desk, listed } = await open();
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    const [payout] = (await approved(app, desk, [wish({ amount: 6007 })])) as [Payout];
    await carryOutPayouts(app, 10);
    const [row] = await listed('payout');
    assert.match(row?.reason ?? '', /^it is in "Sent", and somebody says "amount 6008"\./);
    assert.equal(row?.command, `bin/rubrica payout clear ${payout.id} --evidence FILE --reason TEXT --as EMAIL`);
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
    // The payout is still open, so the worker keeps asking about it.
    assert.notEqual((await selectPayoutAnywhere(app.db, payout.id))?.next_look_at, null);
  });

  test('include a batch that nobody has approved for a day, as one row', async () => {
    const { app, desk, listed } = await open();
    const payouts = await propose(app, desk, [wish(), wish()]);
    app.now.advance(DAY - 1);
    assert.deepEqual(await listed('approval'), []);
    app.now.advance(1);
    const [row, ...others] = await listed('approval');
    const { batch_id } = payouts[0] as Payout;
    assert.deepEqual([row?.id, row?.amount, row?.reason], [batch_id, 20_000, '2 payouts: nobody has approved it']);
    assert.deepEqual([row?.command, others], [`bin/rubrica batch approve ${batch_id} --as EMAIL`, []]);
    const decision = {
      owner: desk.environment,
      named: { batchId: batch_id as string },
      by: desk.approver,
      reason: 'no',
    };
    await rejectPayouts(app, decision);
    assert.deepEqual(await listed('approval'), []);
  });

  test('include one that nobody can approve any more at once, with the command that resolves it', async () => {
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
      [
        'its recipient was erased, so nobody can approve it',
        `bin/rubrica batch reject ${batch_id} --reason TEXT --as EMAIL`,
      ],
    );
  });

  test('name the payouts to reject, not their batch, if others of it can be approved', async () => {
    const { app, desk, listed } = await open();
    const of = (rut: string) => wish({ payee: { ...ANA, rut, bankCode: '001', account: '990011223' } });
    const payouts = await propose(app, desk, [wish(), of('11.111.111-1'), of('22.222.222-2')]);
    const [{ batch_id }] = payouts as [Payout];
    const erase = (rut: string) => eraseRecipients(app, { kind: 'rut', name: rut });
    await erase('12531909-2');
    const [one] = await listed('approval');
    assert.deepEqual(
      [one?.id, one?.command],
      [batch_id, `bin/rubrica payout reject ${payouts[0]?.id} --reason TEXT --as EMAIL`],
    );
    assert.equal(one?.reason, 'its recipient was erased, so nobody can approve it');
    await erase('11111111-1');
    const [two] = await listed('approval');
    assert.match(
      two?.reason ?? '',
      new RegExp(`^2 payouts: its recipient .* named by bin/rubrica batch show ${batch_id}$`),
    );
    assert.equal(two?.command, 'bin/rubrica payout reject ID... --reason TEXT --as EMAIL');
    await erase('22222222-2');
    assert.deepEqual(commands(await listed('approval')), [
      `bin/rubrica batch reject ${batch_id} --reason TEXT --as EMAIL`,
    ]);
  });

  test('include one when all its approvers knew a token of the program that made it or changed its account', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, program: by } = desk;
    const { program, approver } = desk.users;
    const give = (name: string, maker = desk.approver) =>
      makeApiToken(app, program.id, { name, expiresAt: null }, maker);
    const ask = async (payee = ANA) =>
      (await proposePayouts(app, { owner, by, wishes: [wish({ payee })], batch: null })).payouts as [Payout];
    const reject = ({ id }: Payout) =>
      rejectPayouts(app, { owner, named: { ids: [id] }, by: desk.approver, reason: 'no' });
    /**
     * Returns whether nobody can approve the only waiting payout, after the list, the page and the approval have agreed
     * on it.
     */
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
    assert.equal(await isStuck(made), true, 'the token was valid when the payout was made');
    await reject(made);
    app.now.advance(1000);
    const [later] = await ask();
    assert.equal(await isStuck(later), false);
    const named = { ids: [later.id] };
    await approvePayouts(app, { owner, named, by: desk.approver, reason: null });
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ...named, to: 'sent', at: app.now() }));
    app.now.advance(1000);
    await give('mine again', { ...desk.approver, name: nameWithToken(approver.email, 'first') });
    const other = { ...ANA, bankCode: '001', account: '990011223' };
    await reject((await ask(other))[0]);
    const [changed] = (await propose(app, desk, [wish({ payee: other })])) as [Payout];
    assert.deepEqual([changed.proposed_by_id, changed.account_changed_by], [desk.maker.userId, program.id]);
    assert.equal(await isStuck(changed), true, 'the program changed the account');
    await createTestUser(app, { role: 'approver', may: [], paymentServices: [owner.paymentServiceId] });
    assert.deepEqual(await listed('approval'), []);
  });

  test('bar an approver who knew a token of a program that made the requester’s token, also through another program', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, program: by } = desk;
    const { program, approver } = desk.users;
    const propose = async () =>
      (await proposePayouts(app, { owner, by, wishes: [wish()], batch: null })).payouts as [Payout];
    const token = (user: TestUser, name: string, maker: Actor) =>
      makeApiToken(app, user.id, { name, expiresAt: null }, maker);
    const [first, second] = [
      await createTestUser(app, { may: ['users:manage'] }),
      await createTestUser(app, { may: ['users:manage'] }),
    ];
    const acting = (user: TestUser) => userActor({ ...user, role: 'integration', token: 'mine' }, '192.0.2.1');
    const expiresAt = app.now() + 1000;
    await makeApiToken(app, first.id, { name: 'mine', expiresAt }, desk.approver);
    await token(second, 'mine', acting(first));
    app.now.advance(1001);
    await token(program, 'of second', acting(second));
    const [made] = await propose();
    const [shown] = await showPayouts(app, [made]);
    assert.match(shown?.barred.get(approver.id)?.en ?? '', /you may know an API token/);
    const decision = { owner, named: { ids: [made.id] }, by: desk.approver, reason: null };
    await assert.rejects(approvePayouts(app, decision), { code: 'APPROVAL_REFUSED' });
    assert.match((await listed('approval'))[0]?.reason ?? '', /nobody who may approve it is left/);
    await rejectPayouts(app, { ...decision, reason: 'no' });
    await app.db.transaction((tx) => updateApiTokensEnded(tx, program.id, null, app.now()));
    app.now.advance(1);
    await token(program, 'of first', acting(first));
    const [later] = await propose();
    assert.deepEqual(await listed('approval'), [], 'the known token had ended when its program made this one');
    await approvePayouts(app, { ...decision, named: { ids: [later.id] } });
  });

  test('include no batch of a person for whom the approver had made an API token; it can be approved', async () => {
    const { app, desk, listed } = await open();
    await makeApiToken(app, desk.users.maker.id, { name: 'mine', expiresAt: null }, desk.approver);
    const [payout] = (await propose(app, desk)) as [Payout];
    assert.deepEqual(await listed('approval'), []);
    const decision = { owner: desk.environment, named: { ids: [payout.id] }, by: desk.approver, reason: null };
    assert.equal((await approvePayouts(app, decision)).length, 1);
  });

  test('include one at once when the verdict of its account becomes too old', async () => {
    const { app, desk, listed } = await open();
    await propose(app, desk);
    app.now.advance(180 * DAY);
    const [row] = await listed('approval');
    assert.match(row?.reason ?? '', /^the verdict of its account is too old/);
  });

  test('include approved ones after a day without a file, and those that their sender does not accept', async () => {
    const { app, desk, listed } = await open();
    await approved(app, desk);
    app.now.advance(DAY);
    const service = desk.environment.paymentServiceId;
    assert.deepEqual(commands(await listed('approval')), [
      `bin/rubrica payout file --payment-service ${service} --format CODE --account NUMBER --as EMAIL`,
    ]);
    const url = 'https://provider.example/transfers';
    await setPayoutSender(app, desk.environment, { kind: 'http', url, key: null }, desk.maker);
    // The provider answers 200 without a body.
    await carryOutPayouts(app, 10);
    const [row] = await listed('approval');
    assert.equal(row?.reason, 'approved, and its sender cannot be reached');
  });

  test('name the line of a statement, payout create and payout clear when an ended one is contradicted', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, maker: by } = desk;
    const sender = await formerSender(app, desk);
    const [{ id }] = (await approved(app, desk)) as [Payout];
    await app.db.transaction((tx) =>
      transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: app.now() }, { sender }),
    );
    const say = (outcome: PayoutOutcome) =>
      settlePayouts(app, { owner, by, outcomes: [{ id, outcome, reason: 'the bank says so' }], evidence });
    const clear = async () => {
      const payout = (await selectPayoutAnywhere(app.db, id)) as Payout;
      await endContradiction(app, { owner, payout, by, reason: 'it is booked', evidence });
    };
    await say('failed');
    assert.equal(await payableBalance(app, owner.id), 1_000_000);
    assert.equal((await say('confirmed')).contradicted.length, 1);
    const target = `--payment-service ${owner.paymentServiceId} --environment development`;
    const booking = `bin/rubrica payout create ${target} --amount 10000 --currency CLP --reference ${id}`;
    const [row] = await listed('payout');
    assert.equal(
      row?.reason,
      `it is in "Refused by the bank", and somebody says "Arrived". Where the money never left, or left and came back, book nothing. Where it left and stayed away, book it first, at the line of a statement that shows it ("It left at the merchant’s expense") or in a terminal with: ${booking}. Then clear it`,
    );
    const [spanish] = await listAttention(app, 'payout', 10, 'es');
    assert.equal(
      nameless(spanish),
      `está en «El banco lo rechazó», y se dijo «Llegó». Si el dinero no salió, o salió y volvió, no anotes nada. Si salió y no volvió, anótalo primero, en la línea de la cartola que lo muestre («Salió a costa del comercio») o en una terminal con: ${booking}. Después termina la contradicción`,
    );
    assert.equal((await payOut(app, owner, 10_000, { reference: id })).kind, 'recorded');
    assert.equal((await payOut(app, owner, 10_000, { reference: id })).kind, 'replayed');
    await clear();
    assert.deepEqual(await listed('payout'), []);
    assert.equal(await payableBalance(app, owner.id), 990_000);
    await say('returned');
    assert.match(
      (await listed('payout'))[0]?.reason ?? '',
      /says "Came back"\. Its money is with the merchant: clear it\. .*under "Recorded by hand", or with payout return$/,
    );
    const { paymentServiceId, environment } = owner;
    await returnPayout(app, { paymentServiceId, environment }, { reference: id, reason: 'it came back', by });
    await clear();
    assert.deepEqual(await listed('payout'), []);
    assert.equal(await payableBalance(app, owner.id), 1_000_000);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('name the line that says a refused one left, and do not call its return unknown', async () => {
    const { app, desk } = await open();
    const { environment: owner, maker: by } = desk;
    const [{ id, reference }] = (await approved(app, desk)) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    await settle(app, desk, id);
    const line = (at: number, amount: number) => ({ line: at, day: dayOf(app.now()), amount, text: '12.531.909-2' });
    const { paymentServiceId, environment } = owner;
    const scope = { environment, paymentServiceId, account: '1', evidence, by };
    const lines = [line(1, -10_000), line(2, 10_000)];
    const { id: statement } = await importStatement(app, scope, { lines, proof: 'balance' });
    const target = `--payment-service ${paymentServiceId} --environment development`;
    const booking = `bin/rubrica payout create ${target} --amount 10000 --currency CLP --reference ${id}`;
    assert.deepEqual(
      (await listAttention(app, 'payout', 10, 'es')).map(({ reason }) => reason),
      [
        `${reference}: está en «El banco lo rechazó», y se dijo «Llegó». Si el dinero no salió, o salió y volvió, dilo en la línea ${statement}/1 de la cartola («No es eso…» y después «Ajena»). Si salió y no volvió, anótalo primero, en la línea ${statement}/1 de la cartola («No es eso…» y después «Salió a costa del comercio») o en una terminal con: ${booking}. Después termina la contradicción`,
      ],
    );
    assert.deepEqual(
      (await listAttention(app, 'statement', 10, 'es')).map(({ reason }) => reason),
      [
        'línea 2 de portal.pdf: puede ser un pago que el banco rechazó y devolvió: entonces es ajena, porque su dinero ya es del comercio',
      ],
    );
    const unknown = {
      statementId: statement ?? '',
      fileLine: 'unknown',
      is: { use: 'other' },
      reason: 'x',
      by,
    } as const;
    await assert.rejects(resolveLine(app, unknown), /No unknown line/);
    // The console's step books the charge once, at the merchant's expense.
    const of = { statementId: statement ?? '', fileLine: 1, reason: 'it left', by };
    await resolveLine(app, { ...of, is: { use: 'suspense' } });
    await resolveLine(app, { ...of, is: { use: 'payout', toMerchant: { paymentServiceId: null } } });
    assert.equal(await payableBalance(app, owner.id), 990_000);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('say how to explain a line by which a payout came back once more', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, maker: by } = desk;
    await approved(app, desk);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    const line = (at: number, amount: number) => ({ line: at, day: dayOf(app.now()), amount, text: '12.531.909-2' });
    const { paymentServiceId, environment } = owner;
    const scope = { environment, paymentServiceId, account: '1', evidence, by };
    const lines = [line(1, -10_000), line(2, 10_000), line(3, 10_000)];
    await importStatement(app, scope, { lines, proof: 'balance' });
    assert.match(
      (await listed('payout'))[0]?.reason ?? '',
      /where it came back once more, as paid in by the merchant or as nothing here\. Then clear the payout$/,
    );
  });

  test('are named by their reference, as people call them, unless several wait in a batch', async () => {
    const { app, desk } = await open();
    const reasons = async (language: Language = 'en') =>
      (await listAttention(app, 'approval', 10, language)).map(({ reason }) => reason);
    await propose(app, desk, [wish({ reference: 'nomina-7' })]);
    app.now.advance(DAY);
    assert.deepEqual(await reasons(), ['nomina-7: nobody has approved it']);
    assert.deepEqual(await reasons('es'), ['nomina-7: nadie lo ha aprobado']);
    const [left] = await approved(app, desk, [wish({ reference: 'nomina-8' })]);
    assert.ok(left !== undefined);
    const sent = { ids: [left.id], to: 'sent' as const, at: app.now() };
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent));
    app.now.advance(DAY);
    assert.deepEqual(
      (await listAttention(app, 'payout', 10)).map(({ reason }) => reason),
      ['nomina-8: its sender has not said what became of it'],
    );
  });

  test('have every reason in Spanish for a reader of Spanish', async () => {
    const { app, desk } = await open();
    const { environment: owner, maker: by } = desk;
    const spanish = async (kind: 'payout' | 'approval' | 'statement') =>
      (await listAttention(app, kind, 10, 'es')).map(nameless);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await approved(app, desk, [wish({ amount: 15_000 })]);
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    await setPayoutSender(app, owner, { kind: 'simulated', url: null, key: null }, by);
    await approved(app, desk, [wish({ amount: 6006 })]);
    await carryOutPayouts(app, 10);
    const line = (at: number) => ({ line: at, day: dayOf(app.now()), amount: -15_000, text: '12.531.909-2' });
    const { paymentServiceId, environment } = owner;
    const scope = { environment, paymentServiceId, account: '1', evidence, by };
    const { id } = await importStatement(app, scope, { lines: [line(1), line(2)], proof: 'balance' });
    await propose(app, desk, [wish({ amount: 20_000 }), wish({ amount: 30_000 })]);
    app.now.advance(DAY);
    const booking = `bin/rubrica statement resolve ${id} --line 2 --use payout --to-merchant --payment-service ${paymentServiceId} --reason TEXT --as EMAIL`;
    assert.deepEqual((await spanish('payout')).toSorted(), [
      'el proveedor no respondió',
      `está en «Llegó», y se dijo «una segunda línea de la cartola». Explica primero la línea ${id}/2: si salió dinero otra vez, como dinero que salió a costa del comercio. Después termina la contradicción`,
    ]);
    assert.ok((await listAttention(app, 'payout', 10)).some(({ command }) => command === booking));
    assert.deepEqual(await spanish('statement'), ['línea 2 de portal.pdf: el pago ya salió por otra línea']);
    assert.deepEqual(await spanish('approval'), ['2 pagos: nadie lo ha aprobado']);
    app.now.advance(180 * DAY);
    assert.match((await spanish('approval')).join(), /el veredicto de su cuenta es demasiado antiguo/);
    await eraseRecipients(app, { kind: 'rut', name: '12531909-2' });
    assert.match((await spanish('approval')).join(), /su destinatario fue borrado/);
    await disableUser(app, desk.users.approver.id, TESTER);
    assert.match((await spanish('approval')).join(), /no queda nadie que pueda aprobarlo/);
  });

  test('name only possible ends of a contradiction, for one that arrived and for one that has not left', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, maker: by } = desk;
    const sender = await formerSender(app, desk);
    const [arrived] = (await approved(app, desk)) as [Payout];
    const ids = [arrived.id];
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids, to: 'sent', at: app.now() }, { sender }));
    const say = (id: string, outcome: PayoutOutcome) =>
      settlePayouts(app, { owner, by, outcomes: [{ id, outcome, reason: 'the bank says so' }], evidence });
    for (const outcome of ['confirmed', 'failed'] as const) await say(arrived.id, outcome);
    assert.match(
      (await listed('payout'))[0]?.reason ?? '',
      /^it is in "Arrived", and somebody says "Refused by the bank"\. Settle it as "Came back" \(returned\) where the money is back;/,
    );
    assert.equal((await say(arrived.id, 'returned')).settled.length, 1);
    assert.deepEqual(await listed('payout'), []);
    const [here] = (await approved(app, desk)) as [Payout];
    assert.equal((await say(here.id, 'confirmed')).contradicted.length, 1);
    assert.match(
      (await listed('payout'))[0]?.reason ?? '',
      /It has not left from here\..* cancel it and book that, at the line of a statement/,
    );
    await cancelPayouts(app, { owner, named: { ids: [here.id] }, by, reason: 'it left by hand' });
    assert.match(
      (await listed('payout'))[0]?.reason ?? '',
      /^it is in "Taken back", .* book it first, at the line of a statement/,
    );
    assert.equal((await payOut(app, owner, 10_000, { reference: here.id })).kind, 'recorded');
    const payout = (await selectPayoutAnywhere(app.db, here.id)) as Payout;
    await endContradiction(app, { owner, payout, by, reason: 'it is booked', evidence });
    assert.deepEqual(await listed('payout'), []);
    assert.equal(await payableBalance(app, owner.id), 990_000);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('include one with a second bank line until the line has booked its money and it is cleared', async () => {
    const { app, desk, listed } = await open();
    const { environment: owner, maker: by } = desk;
    const { paymentServiceId, environment } = owner;
    const [{ id }] = (await approved(app, desk)) as [Payout];
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    const line = (at: number) => ({ line: at, day: dayOf(app.now()), amount: -10_000, text: '12.531.909-2' });
    const scope = { environment, paymentServiceId, account: '1', evidence, by };
    const { id: statementId } = await importStatement(app, scope, { lines: [line(1), line(2)], proof: 'balance' });
    assert.match(
      (await listed('payout'))[0]?.command ?? '',
      new RegExp(` ${statementId} --line 2 --use payout --to-merchant `),
    );
    const decision = {
      statementId: statementId ?? '',
      fileLine: 2,
      is: { use: 'payout' as const, toMerchant: { paymentServiceId } },
      reason: 'twice',
      by,
    };
    await resolveLine(app, decision);
    const payout = (await selectPayoutAnywhere(app.db, id)) as Payout;
    await endContradiction(app, { owner, payout, by, reason: 'it is booked', evidence });
    assert.deepEqual(await listAttention(app, null, 10), []);
    assert.equal(await payableBalance(app, owner.id), 980_000);
  });
});
