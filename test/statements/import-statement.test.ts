import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import type { Actor } from '../../src/audit/actor.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { availableBalance } from '../../src/books/available-balance.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { recordMovement } from '../../src/movements/record-movement.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { listPayouts } from '../../src/payouts/find-payout.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { lockPayouts, selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { findLinesOfPayout, readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { olderIdentities, type StatementLine } from '../../src/statements/statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { foundIn } from '../support/found-by-hand.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { payOut } from '../support/test-movements.ts';
import { ANA, approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

const DAY = 86_400_000;
const PEDRO = { ...ANA, rut: '11.111.111-1', bankCode: '001', account: '990011223', name: 'Pedro Soto' };

forEachEngine('bank statements', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const file = async (...wishes: Parameters<typeof wish>[0][]) => {
      const payouts = await approved(
        app,
        desk,
        wishes.map((one) => wish(one)),
      );
      const payer = { account: '123456789', rut: '', name: '', agreement: '' };
      const [made] = await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
      const byReference = payouts.toSorted((one, other) => (one.reference < other.reference ? -1 : 1));
      return { file: made?.file.id ?? '', payouts: byReference };
    };
    let lines = 0;
    const line = (amount: number, text: string, days = 0): StatementLine => ({
      line: ++lines,
      day: dayOf(app.now() + days * DAY),
      amount,
      text,
    });
    const takeThrough = async (through: TestApp, by: Actor, ...some: StatementLine[]) => {
      const sha256 = hash('sha256', JSON.stringify(some));
      const evidence = { name: 'cartola.csv', sha256, bytes: 1, excerpt: '' };
      const scope = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
      const { id, known, doubtful, uses, contradicted } = await importStatement(
        through,
        { ...scope, evidence, by },
        { lines: some, proof: 'balance' },
      );
      const used = Object.entries(uses).filter(([, count]) => count > 0);
      return { id: id ?? '', known, doubtful, uses: Object.fromEntries(used), contradicted };
    };
    const take = Object.assign((...some: StatementLine[]) => takeThrough(app, by, ...some), {
      as: (by: Actor, ...some: StatementLine[]) => takeThrough(app, by, ...some),
      through: (through: TestApp, ...some: StatementLine[]) => takeThrough(through, by, ...some),
    });
    const states = async (payouts: readonly Payout[]) => {
      const found: (string | undefined)[] = [];
      for (const { id } of payouts) found.push((await selectPayoutAnywhere(app.db, id))?.state);
      return found;
    };
    return { app, desk, by, owner, file, line, take, states };
  };

  test('charges confirm payouts by RUT and amount, credits return them, and unknown lines wait for a person', async () => {
    const { app, file, line, take, states } = await open();
    const { payouts } = await file(
      { reference: 'a', amount: 15_000 },
      { reference: 'b', amount: 15_000, payee: PEDRO },
    );
    const taken = await take(
      line(-15_000, 'TEF A 11.111.111-1 PEDRO SOTO'),
      line(-15_000, 'Pago Fácil Bch: 012531909-2'),
      line(15_000, 'DEVOLUCION 11111111-1', 3),
      line(-250_000, 'ARRIENDO ENERO'),
    );
    assert.deepEqual([taken.known, taken.uses], [0, { payout: 2, return: 1, suspense: 1 }]);
    assert.deepEqual(await states(payouts), ['confirmed', 'returned']);
    assert.equal((await verifyStore(app)).ok, true);
    const [waiting, ...others] = await listAttention(app, 'statement', 10);
    assert.deepEqual([waiting?.id, waiting?.amount, others], [`${taken.id}/4`, -250_000, []]);
    const rent = {
      statementId: taken.id,
      fileLine: 4,
      is: { use: 'other' as const },
      reason: 'rent',
      by: TESTER,
    };
    await resolveLine(app, rent);
    assert.equal((await resolveLine(app, rent)).length, 1, 'a repeated call changes nothing');
    await assert.rejects(resolveLine(app, { ...rent, reason: 'wages' }), /in suspense/);
    assert.deepEqual(await listAttention(app, 'statement', 10), []);
    // The command must offer only uses that fit the sign of the line.
    assert.match(waiting?.command ?? '', / --line 4 --use payout\|other --reason TEXT --as EMAIL$/);
    await take(line(9000, 'ABONO DE OTRO'));
    const [credit] = await listAttention(app, 'statement', 10);
    assert.match(credit?.command ?? '', / --use deposit\|return\|other --reason TEXT --as EMAIL$/);
  });

  test('a line settles the payout of its RUT, not one whose reference is a prefix of the text', async () => {
    const { file, line, take, states } = await open();
    const { payouts } = await file(
      { reference: 'nomina-2', amount: 15_000 },
      { reference: 'nomina-21', amount: 15_000, payee: PEDRO },
    );
    assert.deepEqual((await take(line(-15_000, 'TEF 11.111.111-1 PEDRO SOTO nomina-21'))).uses, { payout: 1 });
    assert.deepEqual(await states(payouts), ['sent', 'confirmed']);
    const later = [line(15_000, 'DEVOLUCION TEF 11.111.111-1 nomina-21', 1), line(-15_000, 'TEF nomina-2', 1)];
    const taken = await take(...later);
    assert.deepEqual([taken.uses, taken.contradicted], [{ payout: 1, return: 1 }, []]);
    assert.deepEqual(await states(payouts), ['confirmed', 'returned']);
  });

  test('a charge of a merchant who moved to another database waits for a person, and the file is accepted', async () => {
    const { app, owner, file, line, take, states } = await open();
    const { payouts } = await file({ reference: 'a', amount: 15_000 });
    await leaveFor(app, owner);
    const taken = await take(line(-15_000, 'TEF 12531909-2'), line(-250_000, 'ARRIENDO ENERO'));
    assert.deepEqual(taken.uses, { suspense: 2 });
    assert.deepEqual(await states(payouts), ['sent']);
  });

  test('overlapping provisional and final statements count no line twice, even imported concurrently', async () => {
    const { app, owner, file, line, take, states } = await open();
    const { payouts } = await file(
      { reference: 'a', amount: 15_000 },
      { reference: 'b', amount: 15_000 },
      { reference: 'c', amount: 9_000 },
    );
    const day = [line(-15_000, 'TEF 12531909-2'), line(-15_000, 'TEF 12531909-2'), line(-9_000, 'TEF  12531909-2')];
    assert.deepEqual((await take(day[0] as StatementLine)).uses, { payout: 1 });
    const final = [{ ...(day[2] as StatementLine), text: 'tef 12.531.909-2' }, day[1], day[0]] as StatementLine[];
    let both: ReturnType<typeof take>[] = [];
    await app.db.transaction(async (tx) => {
      await lockPayouts(tx, { environmentId: owner.id, ids: payouts.map(({ id }) => id) });
      both = [take(...final), take(...final)];
      await untilQueued(app.db, 2);
    });
    const [first, second] = await Promise.all(both);
    assert.equal((first?.uses['payout'] ?? 0) + (second?.uses['payout'] ?? 0), 2);
    const told = [first, second].map((one) => `${one?.known} known, ${one?.contradicted.length} contradicted`);
    assert.deepEqual(told.toSorted(), ['1 known, 0 contradicted', '3 known, 0 contradicted']);
    assert.deepEqual((await take(...final)).known, 3);
    assert.deepEqual(await states(payouts), ['confirmed', 'confirmed', 'confirmed']);
    const kinds = await app.db.query("select payout_id from journal_entries where kind = 'payout_paid'");
    assert.equal(kinds.length, 3);
  });

  test('a line matches no payout or file that leaves during the import, which another import could match too', async () => {
    const { app, by, owner, file, line, take, states } = await open();
    const remit = async () => {
      const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
      const wish = { kind: 'payout' as const, reference: 'TEF-8812', amount: 9_000, commission: 0, currency: 'CLP' };
      return recordMovement(app, target, { ...wish, paymentMethod: null, by });
    };
    let leaving: ReturnType<typeof file> | undefined;
    const importing = onQuery(app, async (sql) => {
      if (leaving !== undefined || !sql.startsWith('select p.id, p.environment_id')) return;
      leaving = file({ reference: 'a', amount: 15_000 }, { reference: 'b', amount: 7_000, payee: PEDRO });
      // SQLite has one writer, which is the import.
      if (app.db.engine !== 'postgres') return;
      await leaving;
      await remit();
    });
    const taken = await take.through(
      importing,
      line(-15_000, 'TEF 12531909-2'),
      line(-22_000, 'NOMINA'),
      line(-9_000, 'TEF-8812'),
    );
    assert.deepEqual(taken.uses, { suspense: 3 });
    assert.deepEqual(await states((await leaving)?.payouts ?? []), ['sent', 'sent']);
  });

  test('a second, equal line of a day that two files split is named, and counts once its description differs', async () => {
    const { app, file, line, take, states } = await open();
    const { payouts } = await file({ reference: 'a', amount: 15_000 }, { reference: 'b', amount: 15_000 });
    const paid = () => line(-15_000, 'TEF 12531909-2');
    await take(line(-700, 'COMISION'), paid());
    const evening = [paid(), line(-900, 'IVA'), line(-800, 'COMISION', 1)] as const;
    const split = await take(...evening);
    assert.deepEqual([split.known, split.doubtful, split.uses], [1, [evening[0].line], { suspense: 2 }]);
    assert.deepEqual(await states(payouts), ['confirmed', 'sent']);
    const again = await take(...evening);
    assert.deepEqual([again.known, again.doubtful, again.id], [3, [], split.id], 'the same file changes nothing');
    const own = { ...evening[0], text: `${evening[0].text} 8812` };
    const corrected = await take(own, ...evening.slice(1));
    assert.deepEqual([corrected.known, corrected.uses, corrected.contradicted], [2, { payout: 1 }, []]);
    assert.deepEqual(await states(payouts), ['confirmed', 'confirmed']);
    assert.deepEqual((await take(own, ...evening.slice(1))).known, 3);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('files that overlap by whole days, or repeat one of fewer days, have no doubtful line', async () => {
    const { line, take } = await open();
    const days = [line(-1, 'A'), line(-1, 'A'), line(-2, 'B'), line(-3, 'C', 1), line(-4, 'D', 2)] as const;
    const [one, two, three, four, five] = days;
    const morning = [{ ...one, document: '9' }, three];
    for (const [some, known] of [
      [morning, 0],
      [[one, two, three, four], 2],
      [[five, four, three, two, one], 4],
      [[two, one, three, four], 4],
      [[four, five], 2],
      [[five], 1],
    ] as const) {
      const taken = await take(...some);
      assert.deepEqual([taken.known, taken.doubtful], [known, []]);
    }
    const { known, doubtful } = await take(...morning, five);
    assert.deepEqual([known, doubtful], [3, [one.line, three.line]], 'a part of a day');
  });

  test('an equal line alone in a file is doubtful if its balance goes on from the day in another file', async () => {
    const { line, take } = await open();
    const paid = (balance: number | null, days = 0) => ({ ...line(-5, 'TEF 12531909-2', days), balance });
    const first = paid(95);
    const second = paid(90);
    assert.deepEqual((await take(first)).doubtful, []);
    const { known, doubtful, id } = await take(second);
    assert.deepEqual([known, doubtful, id], [1, [second.line], '']);
    const other = { ...line(-2, 'COMISION'), balance: 98 };
    const later = paid(93);
    assert.deepEqual((await take(other, later)).doubtful, [], 'a final statement in another order');
    assert.deepEqual((await take({ ...first, line: 40 }, other, paid(null, 1))).doubtful, [], 'no balance of the day');
    await take(paid(85, 2));
    const before = paid(90, 2);
    assert.deepEqual((await take(before)).doubtful, [before.line], 'the earlier file comes last');
    await take(paid(70, 3));
    const apart = paid(50, 3);
    assert.deepEqual((await take(apart)).doubtful, [apart.line], 'both files lack the lines in between');
  });

  test('a second charge for one payout waits for a person, who books it once at the expense of its merchant', async () => {
    const { app, by, owner, file, line, take, states } = await open();
    const { payouts } = await file({ amount: 15_000 });
    const taken = await take(
      line(-15_000, 'TEF 12531909-2'),
      line(-15_000, 'TEF 12531909-2', 1),
      line(700, 'ABONO DE OTRO'),
      line(-2_000_000, 'OTRO CARGO'),
    );
    assert.deepEqual([taken.uses, taken.contradicted], [{ payout: 1, suspense: 3 }, [payouts[0]?.id]]);
    assert.deepEqual(await states(payouts), ['confirmed']);
    const [contradictory] = await listPayouts(app, null, {}, { limit: 5 });
    assert.equal(contradictory?.contradicted_by, `${taken.id}/2`);
    app.now.advance(1);
    const third = await take(line(-15_000, 'TEF 12531909-2', 2), line(-15_000, 'TEF 12531909-2', 3));
    const contradicted = async () => (await listAttention(app, 'payout', 5))[0];
    const places = [`${taken.id}/2`, `${third.id}/5`, `${third.id}/6`];
    assert.match((await contradicted())?.reason ?? '', new RegExp(`each such line \\(${places.join(', ')}\\)`));
    const is = `--use payout --to-merchant --payment-service ${owner.paymentServiceId} --reason TEXT --as EMAIL`;
    const command = (id: string, at: number) => `bin/rubrica statement resolve ${id} --line ${at} ${is}`;
    assert.equal((await contradicted())?.command, command(taken.id, 2));
    const [named] = await listPayouts(app, null, {}, { limit: 5 });
    const beside = await findLinesOfPayout(app, null, named as Payout);
    assert.equal(beside.length, 4, 'the payout lists its line and the three others');
    const { paymentServiceId } = owner;
    const book = (fileLine: number, named: string | null = paymentServiceId, who = by) => {
      const is = { use: 'payout' as const, toMerchant: { paymentServiceId: named } };
      return resolveLine(app, { statementId: taken.id, fileLine, is, reason: 'the bank paid it twice', by: who });
    };
    await assert.rejects(book(2, null), { code: 'PAYMENT_SERVICE_AMBIGUOUS' });
    await assert.rejects(book(2, paymentServiceId, TESTER), { code: 'PERSON_NEEDED' });
    await assert.rejects(book(3), /a credit/);
    await assert.rejects(book(4), { code: 'INSUFFICIENT_BALANCE' });
    const [booked] = await book(2);
    assert.equal((await book(2))[0]?.subject, booked?.subject, 'the same decision again books nothing');
    const { paymentServiceId: other } = await createTestEnvironment(app);
    await assert.rejects(book(2, other), { code: 'NOT_FOUND' }, 'nothing was booked for the other merchant');
    await assert.rejects(book(4, 'nobody'), /no such payment service/);
    const entries = await app.db.query(
      `select amount from journal_entries where debit_account = 'merchant:payable' and credit_account = 'bank'`,
    );
    assert.deepEqual(
      entries.map(({ amount }) => amount),
      [15_000],
    );
    const available = await availableBalance(app, { environmentIds: [owner.id], transactionId: 0 }, 'CLP');
    const paid = { kind: 'payout' as const, reference: 'rest', commission: 0, currency: 'CLP', paymentMethod: null };
    const target = { paymentServiceId, environment: owner.environment };
    await recordMovement(app, target, { ...paid, amount: Number(available) - 5_000, by: TESTER });
    assert.equal((await contradicted())?.command, command(third.id, 5), 'the next line');
    const lines = await listAttention(app, 'statement', 9);
    for (const item of [await contradicted(), lines.find(({ id }) => id === places[1])])
      assert.match(item?.reason ?? '', /The merchant lacks \$10\.000.*deposit create --from-merchant/);
    assert.equal(lines.find(({ id }) => id === places[1])?.command, command(third.id, 5));
    await setFundsRule(app, { ...target, currency: 'CLP' }, { kept_back: 20_000 }, TESTER);
    assert.match((await contradicted())?.reason ?? '', /The merchant lacks \$30\.000/, 'with what is kept back');
    assert.equal(await foundIn(app), '');
  });

  test('a line that a person explains with a payout does not end what another line says of the payout', async () => {
    const { app, by, file, line, take } = await open();
    const { payouts } = await file({ amount: 15_000 });
    const charge = (ahead: number) => line(-15_000, 'TEF 12531909-2', ahead);
    const { id, uses } = await take(charge(0), charge(1), line(15_000, 'ABONO DE OTRO'));
    assert.deepEqual(uses, { payout: 1, suspense: 2 });
    const is = { use: 'return' as const, payoutId: payouts[0]?.id ?? '' };
    await resolveLine(app, { statementId: id, fileLine: 3, is, reason: 'seen at the bank', by });
    const [{ state, contradicted_by }] = (await listPayouts(app, null, {}, { limit: 5 })) as [Payout];
    assert.deepEqual([state, contradicted_by], ['returned', `${id}/2`]);
  });

  test('a person who settles a payout does not end what a line says of it, and the line stays the next step', async () => {
    const { app, owner, by, file, line, take } = await open();
    const { payouts } = await file({ amount: 15_000 });
    const charge = (ahead: number) => line(-15_000, 'TEF 12531909-2', ahead);
    const { id: statement } = await take(charge(0), charge(1));
    const { settlePayouts } = await import('../../src/payouts/settling/settle-payouts.ts');
    const outcomes = [{ id: payouts[0]?.id ?? '', outcome: 'returned' as const, reason: 'closed' }];
    const evidence = { name: 'portal.pdf', sha256: 'ab', bytes: 1, excerpt: '' };
    await settlePayouts(app, { owner, by, outcomes, evidence });
    const [{ state, contradicted_by }] = (await listPayouts(app, null, {}, { limit: 5 })) as [Payout];
    assert.deepEqual([state, contradicted_by], ['returned', `${statement}/2`]);
    const [contradicted] = await listAttention(app, 'payout', 5);
    assert.match(contradicted?.command ?? '', new RegExp(`statement resolve ${statement} --line 2 --use payout`));
  });

  test('a line without a RUT is matched to a payout only if no other payout is possible', async () => {
    const { app, by, file, line, take, states } = await open();
    const { payouts } = await file(
      { reference: 'a', amount: 15_000 },
      { reference: 'b', amount: 15_000, payee: PEDRO },
    );
    const [one] = payouts as [Payout];
    const unclear = await take(line(-15_000, 'TRANSFERENCIA'));
    assert.deepEqual(unclear.uses, { suspense: 1 });
    const is = { use: 'payout' as const, payoutId: one.id };
    const decision = { statementId: unclear.id, fileLine: 1, is, reason: 'seen at the bank', by };
    await resolveLine(app, decision);
    assert.deepEqual(await states(payouts), ['confirmed', 'sent']);
    assert.deepEqual((await take(line(-15_000, 'TRANSFERENCIA', 1))).uses, { payout: 1 });
    assert.deepEqual(await states(payouts), ['confirmed', 'confirmed']);
    assert.deepEqual((await take(line(15_000, 'ABONO DE UN CLIENTE', 2))).uses, { suspense: 1 });
  });

  test('a charge of the total of a payout file confirms all of them, and later credits return single ones', async () => {
    const { app, file, line, take, states } = await open();
    const { payouts } = await file({ reference: 'a', amount: 15_000 }, { reference: 'b', amount: 9_000, payee: PEDRO });
    assert.deepEqual((await take(line(-24_000, 'NOMINA PROVEEDORES'))).uses, { payout: 1 });
    assert.deepEqual(await states(payouts), ['confirmed', 'confirmed']);
    assert.deepEqual((await take(line(9_000, 'RECHAZO 11.111.111-1', 2))).uses, { return: 1 });
    assert.deepEqual(await states(payouts), ['confirmed', 'returned']);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('a charge that names another person is not the total of a file, nor is one of a file with one payout', async () => {
    const { file, line, take, states } = await open();
    const { payouts: alone } = await file({ amount: 15_000 });
    const { payouts: two } = await file({ amount: 15_500 }, { amount: 9_000, payee: PEDRO });
    const charges = [
      line(-15_000, 'TRANSF A 9876543-3'),
      line(-15_000, 'TRANSF A 98765433'),
      line(-24_500, 'A 9.876.543-3'),
    ];
    assert.deepEqual((await take(...charges)).uses, { suspense: 3 });
    assert.deepEqual(await states([...alone, ...two]), ['sent', 'sent', 'sent']);
  });

  test('a credit of the acquirer matches a recorded deposit once', async () => {
    const { app, owner, line, take } = await open();
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const recorded = await recordMovement(app, target, {
      kind: 'deposit',
      reference: 'TBK-1',
      amount: 20_000,
      commission: 500,
      currency: 'CLP',
      paymentMethod: 'simulated',
      by: TESTER,
    });
    assert.equal(recorded.kind, 'recorded');
    const deposit = () => line(20_000, 'PAGO RECIBIDO TF2 096689310-9 TRANSBANK');
    assert.deepEqual((await take(deposit())).uses, { deposit: 1 });
    assert.deepEqual((await take(line(20_000, 'PAGO TRANSBANK', 1))).uses, { suspense: 1 });
  });

  test('a credit that names a payment method matches the deposit of its acquirer', async () => {
    const { app, owner, line, take } = await open();
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const wish = { kind: 'deposit', commission: 0, currency: 'CLP', paymentMethod: 'simulated', by: TESTER } as const;
    await recordMovement(app, target, { ...wish, reference: 'SIM-1', amount: 20_000 });
    assert.deepEqual((await take(line(20_000, 'Notebook simulateds'))).uses, { suspense: 1 });
    assert.deepEqual((await take(line(20_000, 'ABONO SIMULATED, 15/01'))).uses, { deposit: 1 });
    await take(line(30_000, 'ABONO SIMULATED'));
    const waiting = await listAttention(app, 'statement', 10);
    assert.ok(waiting.some(({ reason }) => /a deposit of an acquirer that is not recorded/.test(reason)));
  });

  test('a returned payout or a merchant’s payment whose text names a payment method is no acquirer’s deposit', async () => {
    const { app, owner, file, line, take, states } = await open();
    const { payouts } = await file({ reference: 'a', amount: 9_000, payee: PEDRO });
    await take(line(-9_000, 'TEF 11.111.111-1'));
    assert.deepEqual((await take(line(9_000, 'RECHAZO 11.111.111-1 VENTAS SIMULATED', 2))).uses, { return: 1 });
    assert.deepEqual(await states(payouts), ['returned']);
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const wish = { kind: 'deposit', commission: 0, currency: 'CLP', paymentMethod: null, by: TESTER } as const;
    await recordMovement(app, target, { ...wish, reference: 'AJUSTE.SIMULATED', amount: 7_000 });
    assert.deepEqual((await take(line(7_000, 'TRANSFERENCIA AJUSTE.SIMULATED', 3))).uses, { deposit: 1 });
  });

  test('an unrecorded deposit is booked once from its line, and never above what its payment method owes', async () => {
    const { app, desk, owner, by, line, take } = await open();
    const taken = await take(
      line(20_000, 'ABONO WEBPAY'),
      line(5_000, 'TRANSFERENCIA DE TIENDA'),
      line(2_000_000, 'ABONO WEBPAY'),
      line(-700, 'COMISION'),
    );
    assert.deepEqual(taken.uses, { suspense: 4 });
    const { paymentServiceId } = owner;
    const book = (
      fileLine: number,
      paymentMethod: string | null,
      named: string | null = paymentServiceId,
      who = by,
      commission = paymentMethod === null ? 0 : 500,
    ) => {
      const deposit = { paymentServiceId: named, paymentMethod, commission };
      const is = { use: 'deposit' as const, deposit };
      return resolveLine(app, { statementId: taken.id, fileLine, is, reason: 'seen at the bank', by: who });
    };
    await assert.rejects(book(1, 'simulated', null), { code: 'PAYMENT_SERVICE_AMBIGUOUS' });
    await assert.rejects(book(1, 'simulated', paymentServiceId, TESTER), { code: 'PERSON_NEEDED' });
    await assert.rejects(book(1, 'simulated', paymentServiceId, desk.approver), { code: 'PERMISSION_MISSING' });
    await assert.rejects(book(3, 'simulated'), (error: Problem) => {
      assert.equal(error.code, 'INSUFFICIENT_BALANCE');
      assert.match(error.extras.detail?.es ?? '', /^Simulador debe solo/, 'the method has its name');
      return true;
    });
    await assert.rejects(book(4, 'simulated'), /a charge/);
    const [first] = await book(1, 'simulated');
    assert.equal((await book(1, 'simulated'))[0]?.subject, first?.subject);
    await assert.rejects(book(1, null), { code: 'NOT_FOUND' }, 'another source is another decision');
    const otherCommission = book(1, 'simulated', paymentServiceId, by, 499);
    await assert.rejects(otherCommission, { code: 'NOT_FOUND' }, 'another commission is another decision');
    await book(2, null);
    const entries = await app.db.query<{ kind: string; amount: number }>(
      "select kind, amount from journal_entries where kind in ('deposit', 'commission', 'paid_in') order by link, line",
    );
    assert.deepEqual(
      entries.map(({ kind, amount }) => [kind, amount]),
      [
        ['deposit', 20_000],
        ['commission', 500],
        ['paid_in', 5_000],
      ],
    );
    const again = { use: 'deposit' as const, deposit: { id: first?.subject ?? '' } };
    const other = await take(line(20_000, 'OTRO ABONO', 1));
    const decision = { statementId: other.id, fileLine: 'unknown' as const, is: again, reason: 'x', by };
    await assert.rejects(resolveLine(app, decision), { code: 'NOT_FOUND' });
    const [open20] = await app.db.query<{ file_line: number }>(
      "select file_line from bank_statement_lines where statement_id = $1 and used_as = 'suspense'",
      [other.id],
    );
    await assert.rejects(resolveLine(app, { ...decision, fileLine: open20?.file_line ?? 0 }), /Another line is of/);
    assert.ok((await verifyStore(app)).ok);
  });

  test('a line is not resolved as a deposit of the same number in another currency', async () => {
    const { app, owner, by, line, take } = await open();
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const dollars = { kind: 'deposit', commission: 0, currency: 'USD', paymentMethod: null, by: TESTER } as const;
    const recorded = await recordMovement(app, target, { ...dollars, reference: 'USD-1', amount: 20_000 });
    assert.ok(recorded.kind === 'recorded');
    const { id } = await take(line(20_000, 'TRANSFERENCIA'), line(-700, 'COMISION'));
    const is = { use: 'deposit' as const, deposit: { id: recorded.movement.id } };
    const resolving = resolveLine(app, { statementId: id, fileLine: 1, is, reason: 'x', by });
    await assert.rejects(resolving, /The line is of \$20\.000 CLP, and mv_\w+ of 200\.00 USD\. If it was recorded/);
  });

  test('an unrecorded deposit of an acquirer is not dismissed with all unknown lines, only when it is named', async () => {
    const { app, by, line, take } = await open();
    const { id } = await take(line(20_000, 'ABONO TRANSBANK'), line(-700, 'COMISION'));
    const decision = { statementId: id, is: { use: 'other' as const }, reason: 'arriendo', by };
    const all = await resolveLine(app, { ...decision, fileLine: 'unknown' });
    assert.deepEqual(
      all.map(({ amount }) => amount),
      [-700],
    );
    const again = { ...decision, fileLine: 'unknown' as const, reason: 'otro' };
    await assert.rejects(resolveLine(app, again), /name each other line by its number/);
    assert.equal((await resolveLine(app, { ...decision, fileLine: 1 })).length, 1);
  });

  test('a line called unrelated is explained again once, by its number, and the audit log has both decisions', async () => {
    const { app, by, owner, line, take } = await open();
    const { id } = await take(line(5_000, 'TRANSFERENCIA DE TIENDA'), line(-700, 'COMISION'));
    const all = {
      statementId: id,
      fileLine: 'unknown' as const,
      is: { use: 'other' as const },
      reason: 'arriendo',
      by,
    };
    assert.equal((await resolveLine(app, all)).length, 2);
    app.now.advance(DAY);
    const deposit = { paymentServiceId: owner.paymentServiceId, paymentMethod: null, commission: 0 };
    const is = { use: 'deposit' as const, deposit };
    const again = { ...all, fileLine: 1, is, reason: 'el comercio lo depositó' };
    await assert.rejects(resolveLine(app, { ...again, fileLine: 2 }), /a charge/);
    const [booked] = await resolveLine(app, again);
    assert.equal((await resolveLine(app, again))[0]?.subject, booked?.subject, 'the same decision again books nothing');
    const entries = await app.db.query<{ amount: number }>("select amount from journal_entries where kind = 'paid_in'");
    assert.deepEqual(
      entries.map(({ amount }) => amount),
      [5_000],
    );
    const kept = await readLines(app, id, null);
    assert.deepEqual(
      kept.map(({ used_as, subject, reason }) => [used_as, subject, reason]),
      [
        ['deposit', booked?.subject, again.reason],
        ['other', null, 'arriendo'],
      ],
    );
    for (const other of [
      { ...again, fileLine: 'unknown' as const, reason: 'x' },
      { ...again, reason: 'x' },
      { ...all, fileLine: 1 },
    ])
      await assert.rejects(resolveLine(app, other), { code: 'NOT_FOUND' });
    const { acts } = await listAudit(app, { action: 'statement.line_resolved' }, 10);
    const [second, first] = acts;
    assert.deepEqual(
      [second?.before, second?.reason, first?.before, first?.reason],
      [
        { use: 'other', of: null, resolved_at: first?.at, resolved_by: by.name, reason: 'arriendo' },
        again.reason,
        null,
        'arriendo',
      ],
    );
    assert.ok((await verifyStore(app)).ok);
  });

  test('a merchant’s payment matches the deposit recorded under the reference in its line', async () => {
    const { app, owner, line, take } = await open();
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const paidIn = { kind: 'deposit' as const, reference: 'TRF-0116', amount: 5_000, commission: 0, currency: 'CLP' };
    await recordMovement(app, target, { ...paidIn, paymentMethod: null, by: TESTER });
    const taken = await take(line(5_000, 'ABONO DE TIENDA'), line(5_000, 'ABONO TRF-0116 TIENDA'));
    assert.deepEqual(taken.uses, { deposit: 1, suspense: 1 });
    const again = await take(line(5_000, 'ABONO TRF-0116 TIENDA', 1));
    assert.deepEqual(
      (await readLines(app, again.id, null)).map(({ note }) => note),
      ['the deposit came by another line'],
    );
  });

  test('a charge that repeats the reference of a merchant’s payout is not taken for a payout of its amount', async () => {
    const { app, by, owner, file, line, take, states } = await open();
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const wished = { kind: 'payout', amount: 15_000, commission: 0, currency: 'CLP', paymentMethod: null, by } as const;
    await recordMovement(app, target, { ...wished, reference: 'TEF-8812' });
    await take(line(-15_000, 'TRANSFERENCIA TEF-8812'));
    const { payouts } = await file({ reference: 'a', amount: 15_000 });
    assert.deepEqual((await take(line(-15_000, 'TRANSFERENCIA TEF-8812', 1))).uses, { suspense: 1 });
    assert.deepEqual(await states(payouts), ['sent']);
  });

  test('a charge with the reference of a recorded payout to the merchant is of it, and changes nothing else', async () => {
    const { app, by, owner, line, take } = await open();
    const target = { paymentServiceId: owner.paymentServiceId, environment: 'development' as const };
    const remit = async (reference: string, amount: number) => {
      const wished = {
        kind: 'payout' as const,
        reference,
        amount,
        commission: 0,
        currency: 'CLP',
        paymentMethod: null,
        by,
      };
      const recording = await recordMovement(app, target, wished);
      return recording.kind === 'recorded' ? recording.movement.id : '';
    };
    const [first, second] = [await remit('TEF-8812', 30_000), await remit('TEF-8813', 40_000)];
    const larger = await remit('TEF-8814', 50_000);
    const linesOf = (statement: string) => readLines(app, statement, null);
    const { id, uses } = await take(
      line(-30_000, 'TRANSFERENCIA TEF-8812'),
      line(-30_000, 'TRANSFERENCIA TEF-8812'),
      line(-40_000, 'TRANSFERENCIA A TERCEROS'),
    );
    assert.deepEqual(uses, { payout: 1, suspense: 2 });
    const lines = await linesOf(id);
    assert.deepEqual(
      lines.map(({ subject, note }) => [subject, note]),
      [
        [first, null],
        [null, 'the payout has left by another line'],
        [null, 'a payout to the merchant could be meant'],
      ],
    );
    const later = await take(line(-30_000, 'TRANSFERENCIA TEF-8812', 1));
    assert.deepEqual(
      (await linesOf(later.id)).map(({ note }) => note),
      ['the payout has left by another line'],
    );
    const decide = (fileLine: number, payoutId: string, use: 'payout' | 'return' = 'payout') =>
      resolveLine(app, { statementId: id, fileLine, is: { use, payoutId }, reason: 'es el del lunes', by });
    const [, repeated, third] = lines.map(({ file_line }) => file_line) as [number, number, number];
    await assert.rejects(decide(third, first), { code: 'PAYOUT_STATE' });
    await assert.rejects(decide(third, larger), {
      code: 'PAYOUT_STATE',
      message: /recorded with a wrong amount, take it back/,
    });
    await assert.rejects(decide(repeated, first), { code: 'PAYOUT_STATE' });
    await assert.rejects(decide(third, 'mv_x'), { code: 'NOT_FOUND' });
    await assert.rejects(decide(third, second, 'return'), {
      message: /^A return is a credit, and this line is a charge/,
    });
    await decide(third, second);
    assert.equal((await linesOf(id))[2]?.subject, second);
    const entries = await app.db.query<{ kind: string }>('select kind from journal_entries where debit_account = $1', [
      'merchant:payable',
    ]);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['payout', 'payout', 'payout'],
      'the books have each payout once',
    );
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('a second charge of the only payout of a file is not taken for the total of the file', async () => {
    const { file, line, take } = await open();
    await file({ reference: 'a', amount: 15_000 });
    await file({ reference: 'b', amount: 9_000 });
    const total = line(-9_000, 'NOMINA');
    assert.deepEqual((await take(line(-15_000, 'TEF 12531909-2'), line(-15_000, 'NOMINA'))).uses, {
      payout: 1,
      suspense: 1,
    });
    assert.deepEqual((await take(line(-15_000, 'NOMINA', 1))).uses, { suspense: 1 });
    assert.deepEqual((await take(total, line(-9_000, 'TEF 12531909-2', 1))).uses, { payout: 1, suspense: 1 });
  });

  test('a person cannot assign a second line to a payout that already has one', async () => {
    const { app, by, file, line, take } = await open();
    const { payouts } = await file({ amount: 15_000 });
    await take(line(-15_000, 'TEF 12531909-2'));
    const second = await take(line(-15_000, 'SIN RUT', 1));
    const is = { use: 'payout' as const, payoutId: payouts[0]?.id ?? '' };
    const decision = { statementId: second.id, fileLine: 2, is, reason: 'seen', by };
    await assert.rejects(resolveLine(app, decision), { code: 'PAYOUT_STATE' });
  });

  test('a person can assign a charge to a payout that was already returned, once', async () => {
    const { app, by, file, line, take, states } = await open();
    const { payouts } = await file(
      { reference: 'a', amount: 15_000 },
      { reference: 'b', amount: 15_000, payee: PEDRO },
    );
    const taken = await take(line(-15_000, 'TRANSFERENCIA'), line(15_000, 'DEVOLUCION 12531909-2', 1));
    assert.deepEqual(taken.uses, { return: 1, suspense: 1 });
    const is = { use: 'payout' as const, payoutId: payouts[0]?.id ?? '' };
    const decision = { statementId: taken.id, fileLine: 1, is, reason: 'seen', by };
    const [resolved] = await resolveLine(app, decision);
    assert.deepEqual([resolved?.used_as, resolved?.subject], ['payout', payouts[0]?.id]);
    assert.deepEqual(await states(payouts), ['returned', 'sent']);
    const { payouts: named } = await file({ reference: 'c', amount: 8_000 });
    assert.deepEqual((await take(line(8_000, 'DEVOLUCION 12531909-2', 1))).uses, { return: 1 });
    const late = await take(line(-8_000, 'TEF 12531909-2'));
    assert.deepEqual([late.uses, late.contradicted, await states(named)], [{ payout: 1 }, [], ['returned']]);
    const second = await take(line(-15_000, 'OTRA', 1), line(-15_000, 'OTRA', 2));
    await assert.rejects(resolveLine(app, { ...decision, statementId: second.id, fileLine: 5 }), /Another line is of/);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('a line is assigned only to what has its amount and environment, and with permission to record movements', async () => {
    const { app, desk, owner, by, file, line, take, states } = await open();
    const { payouts } = await file({ reference: 'a', amount: 15_000 });
    const named = [line(-15_000, 'TEF 12531909-2')];
    await assert.rejects(take.as(desk.approver, ...named), { code: 'PERMISSION_MISSING' });
    const amounts = [line(-8_000, 'UNO'), line(5_000, 'DOS'), line(-15_000, 'TRES', -3)];
    const { id: statementId, uses } = await take(...amounts);
    assert.deepEqual(uses, { suspense: 3 });
    const production = await openPayoutDesk(app, { mode: 'production', money: 0 });
    const { environment } = production;
    const paidIn = async ({ paymentServiceId, environment }: typeof owner, amount = 5_000) => {
      const deposit = { kind: 'deposit', commission: 0, currency: 'CLP', paymentMethod: null, by: TESTER } as const;
      const wished = { ...deposit, reference: `TRF-${amount}`, amount };
      const recording = await recordMovement(app, { paymentServiceId, environment }, wished);
      return { use: 'deposit' as const, deposit: { id: 'movement' in recording ? recording.movement.id : '' } };
    };
    await paidIn(environment, 8_000);
    const theirs = (await approved(app, production, [wish({ amount: 8_000 })])).map(({ id }) => id);
    const at = { ids: theirs, to: 'sent' as const, at: app.now() };
    await app.db.transaction((tx) => transitionPayouts(tx, environment, at));
    const say = (fileLine: number, is: Parameters<typeof resolveLine>[1]['is'], who = by) =>
      resolveLine(app, { statementId, fileLine, is, reason: 'seen', by: who });
    const payout = (id = '') => ({ use: 'payout' as const, payoutId: id });
    const [uno, dos, tres] = amounts.map((one) => one.line) as [number, number, number];
    await assert.rejects(say(uno, payout(theirs[0]), production.maker), /belongs to production, and the statement/);
    const paid = await paidIn(environment);
    await assert.rejects(say(dos, paid, production.maker), {
      code: 'PAYOUT_STATE',
      message: 'It belongs to production, and the statement to development.',
    });
    await assert.rejects(say(dos, paid, desk.maker), { code: 'PERMISSION_MISSING' });
    await assert.rejects(say(tres, payout(payouts[0]?.id), desk.approver), { code: 'PERMISSION_MISSING' });
    const id = payouts[0]?.id ?? '';
    await assert.rejects(say(uno, payout(id)), {
      code: 'PAYOUT_STATE',
      message: new RegExp(`and ${id} of .* use \`other\``),
    });
    await assert.rejects(say(dos, await paidIn(owner, 6_000)), {
      code: 'PAYOUT_STATE',
      message: / of \$6\.000 CLP\. If/,
    });
    const remitted = await payOut(app, owner, 5_000);
    const noDeposit = { id: 'movement' in remitted ? remitted.movement.id : '' };
    await assert.rejects(say(dos, { use: 'deposit', deposit: noDeposit }), { code: 'NOT_FOUND' });
    const ours = await paidIn(owner);
    await assert.rejects(say(dos, ours, desk.approver), { code: 'PERMISSION_MISSING' });
    assert.deepEqual(await states(payouts), ['sent']);
    assert.equal((await say(dos, ours))[0]?.subject, ours.deposit.id);
    await assert.rejects(say(dos, paid), { code: 'NOT_FOUND' }, 'another deposit is another decision');
  });

  test('lines whose stored key includes the bank’s document number are recognized', async () => {
    const { app, line, take } = await open();
    const old = { ...line(-700, 'COMISION'), document: '12' };
    await take(old);
    const hashes = await identityHashes(app);
    const [identity = ''] = olderIdentities('123456789', [old]);
    const sql = 'update bank_statement_lines set line_key = $1';
    await app.db.transaction((tx) => tx.query(sql, [hashes.ofRequest(identity)]));
    assert.equal((await take(old)).known, 1);
    assert.equal((await take({ ...old, document: '13' })).known, 0);
  });

  test('a line of a day to come is refused with its day, unless it may be the next working day of banks', async () => {
    const { app, line, take } = await open();
    const today = dayOf(app.now());
    const wrong = line(-15_000, 'TEF', 7);
    await assert.rejects(take(line(-1000, 'TEF'), wrong), (error: Problem) => {
      assert.equal(error.code, 'INVALID_STATEMENT');
      const { en, es } = error.extras.detail as { en: string; es: string };
      assert.match(
        en,
        new RegExp(`^Line ${wrong.line} is of ${wrong.day}, and today is ${today}\\. .*the month first`),
      );
      assert.match(
        es,
        new RegExp(`^La línea ${wrong.line} es del ${wrong.day}, y hoy es ${today}\\. .*primero el mes`),
      );
      return true;
    });
    assert.equal((await app.db.query('select id from bank_statements')).length, 0, 'no line was taken');
    // As on Friday, 14 September 2029, after the banks have closed: they open again on Thursday, the 20th.
    assert.deepEqual((await take(line(-1000, 'TEF'), line(-15_000, 'TEF', 6))).uses, { suspense: 2 });
  });

  test('a return waits where one of two equal payouts failed, and is of the one that came back by the result', async () => {
    const { app, owner, by, file, line, take, states } = await open();
    const { payouts } = await file({ amount: 15_000 }, { amount: 15_000 }, { amount: 20_000 }, { amount: 20_000 });
    const { settlePayouts } = await import('../../src/payouts/settling/settle-payouts.ts');
    const evidence = { name: 'r.csv', sha256: 'ab', bytes: 1, excerpt: '' };
    const of = (at: number, outcome: 'confirmed' | 'failed' | 'returned') => ({
      id: payouts[at]?.id ?? '',
      outcome,
      reason: 'bank',
    });
    const outcomes = [of(0, 'confirmed'), of(1, 'failed'), of(2, 'confirmed'), of(3, 'returned')];
    await settlePayouts(app, { owner, by, outcomes, evidence });
    const before = await states(payouts);
    const taken = await take(line(15_000, 'DEVOLUCION 12531909-2'), line(20_000, 'DEVOLUCION 12531909-2'));
    assert.deepEqual([taken.uses, taken.contradicted], [{ suspense: 1, return: 1 }, []]);
    assert.deepEqual(await states(payouts), before, 'none of the payouts that arrived is back');
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('a charge for a failed payout moves no money and contradicts the payout', async () => {
    const { app, owner, by, file, line, take, states } = await open();
    const { payouts } = await file({ amount: 15_000 });
    const { settlePayouts } = await import('../../src/payouts/settling/settle-payouts.ts');
    const outcomes = [{ id: payouts[0]?.id ?? '', outcome: 'failed' as const, reason: 'closed' }];
    const evidence = { name: 'r.csv', sha256: 'ab', bytes: 1, excerpt: '' };
    await settlePayouts(app, { owner, by, outcomes, evidence });
    const taken = await take(line(-15_000, 'TEF 12531909-2'));
    assert.deepEqual(taken.contradicted, [payouts[0]?.id]);
    assert.deepEqual(await states(payouts), ['failed']);
    const [contradictory] = await listPayouts(app, null, {}, { limit: 5 });
    assert.equal(contradictory?.contradicted_by, `${taken.id}/1`);
    assert.equal((await verifyStore(app)).ok, true);
  });
});
