import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { availableBalance } from '../../src/books/available-balance.ts';
import { addUp } from '../../src/lib/exact-sum.ts';
import type { Recording } from '../../src/movements/record-movement.ts';
import { returnPayout } from '../../src/movements/return-movement.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { lockLine } from '../../src/statements/line-decision-queries.ts';
import { type LineSubject, resolveLine } from '../../src/statements/resolve-line.ts';
import { returnDeposit } from '../../src/statements/return-deposit.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { removeGuards } from '../support/test-books.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('a line of a bank statement that is put into suspense again', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment, maker } = desk;
    const target = { paymentServiceId: environment.paymentServiceId, environment: environment.environment };
    const take = async (...lines: (readonly [amount: number, text: string])[]) => {
      const sha256 = hash('sha256', JSON.stringify(lines));
      const evidence = { name: 'cartola.csv', sha256, bytes: 1, excerpt: '' };
      const read = lines.map(([amount, text], at) => ({ line: at + 2, day: '2026-01-15', amount, text }));
      const account = { environment: 'development' as const, paymentServiceId: null, account: '123456789' };
      const { id } = await importStatement(app, { ...account, evidence, by: maker }, { lines: read, proof: 'balance' });
      return id ?? '';
    };
    const resolve = (statementId: string, fileLine: number, is: LineSubject, by: Actor = maker) => {
      app.now.advance(1000);
      return resolveLine(app, { statementId, fileLine, is, reason: 'seen at the bank', by });
    };
    const reopen = (statementId: string, fileLine: number, by: Actor = maker) =>
      resolve(statementId, fileLine, { use: 'suspense' }, by);
    const takeBack = (kind: 'payout' | 'deposit', reference: string) => {
      app.now.advance(1000);
      const wanted = { reference, reason: 'recorded by mistake', by: maker };
      return kind === 'payout' ? returnPayout(app, target, wanted) : returnDeposit(app, target, wanted);
    };
    const usesOf = async (statementId: string) =>
      (await readLines(app, statementId, null)).map(({ used_as, subject }) => [used_as, subject]);
    const available = () => availableBalance(app, { environmentIds: [environment.id], transactionId: 0 }, 'CLP');
    const findings = async () => (await verifyStore(app)).findings.map(({ says }) => says);
    return { app, desk, take, resolve, reopen, takeBack, usesOf, available, findings };
  };
  const idOf = (recording: Recording) => ('movement' in recording ? recording.movement.id : '');
  const bookedBy = (id: string) => ({ use: 'deposit' as const, deposit: { id } });

  test('was matched by an import with the wrong deposit, which can be taken back afterwards', async () => {
    const { app, desk, take, resolve, reopen, takeBack, usesOf, findings } = await open();
    const wrong = idOf(await deposit(app, desk.environment, 5000, { reference: 'AB-1' }));
    const id = await take([5000, 'ABONO SIMULATED'], [-700, 'COMISION']);
    assert.deepEqual(await usesOf(id), [
      ['deposit', wrong],
      ['suspense', null],
    ]);
    assert.equal((await takeBack('deposit', 'AB-1')).kind, 'arrived');
    const [line] = await reopen(id, 2);
    assert.deepEqual([line?.used_as, line?.subject], ['suspense', null]);
    assert.deepEqual(await findings(), []);
    assert.equal((await takeBack('deposit', 'AB-1')).kind, 'returned');
    await resolve(id, 2, {
      use: 'deposit',
      deposit: { paymentServiceId: desk.environment.paymentServiceId, paymentMethod: 'simulated', commission: 200 },
    });
    assert.deepEqual(await findings(), []);
    const { acts } = await listAudit(app, { action: 'statement.line_reopened' }, 10);
    assert.deepEqual(
      acts.map(({ who, reason, before, after }) => [who.name, reason, before, after]),
      [
        [
          desk.maker.name,
          'seen at the bank',
          { use: 'deposit', of: wrong, resolved_at: null, resolved_by: null, reason: null },
          { lines: 1, file_line: 2, use: 'suspense', of: null },
        ],
      ],
    );
  });

  test('is found if somebody changes it behind the back of the service', async () => {
    const { app, desk, take, reopen, findings } = await open();
    const id = idOf(await deposit(app, desk.environment, 5000, { reference: 'AB-1' }));
    const statement = await take([5000, 'ABONO SIMULATED'], [-700, 'COMISION']);
    const set = (text: string) =>
      app.db.transaction((tx) => tx.query(`update bank_statement_lines set ${text} where amount = 5000`));
    await removeGuards(app.db);
    await set("used_as = 'suspense', subject = null");
    assert.match((await findings()).join(), /imported as deposit/);
    await set(`used_as = 'deposit', subject = '${id}'`);
    await reopen(statement, 2);
    assert.deepEqual(await findings(), []);
    await set(`used_as = 'deposit', subject = '${id}'`);
    assert.match((await findings()).join(), /imported as deposit/);
  });

  test('was named by a person as the wrong payout to a merchant, which stays recorded and free for its own line', async () => {
    const { app, desk, take, resolve, reopen, usesOf, available, findings } = await open();
    const [wrong, right] = [
      idOf(await payOut(app, desk.environment, 5000, { reference: 'TEF-1' })),
      idOf(await payOut(app, desk.environment, 5000, { reference: 'TEF-2' })),
    ];
    const id = await take([-5000, 'TRANSFERENCIA'], [-5000, 'OTRA']);
    await resolve(id, 2, { use: 'payout', payoutId: wrong });
    const before = await available();
    assert.deepEqual(await reopen(id, 2), await reopen(id, 2), 'once');
    await resolve(id, 2, { use: 'payout', payoutId: right });
    await resolve(id, 3, { use: 'payout', payoutId: wrong });
    assert.deepEqual(await usesOf(id), [
      ['payout', right],
      ['payout', wrong],
    ]);
    assert.deepEqual([await available(), await findings()], [before, []]);
  });

  test('was not the return of its payout, whose charge is then booked again at the expense of the merchant', async () => {
    const { app, desk, take, resolve, reopen, available, findings } = await open();
    const recorded = idOf(await payOut(app, desk.environment, 5000, { reference: 'TEF-1' }));
    const before = await available();
    const id = await take([-5000, 'TRANSFERENCIA'], [5000, 'ABONO']);
    await assert.rejects(resolve(id, 2, { use: 'return', payoutId: recorded }), /A return is a credit/);
    await assert.rejects(resolve(id, 3, { use: 'payout', payoutId: recorded }), /A payout is a charge/);
    await resolve(id, 2, { use: 'payout', payoutId: recorded });
    await resolve(id, 3, { use: 'return', payoutId: recorded });
    assert.equal(await available(), addUp([before, 5000]));
    await reopen(id, 3);
    await resolve(id, 3, { use: 'other' });
    await reopen(id, 2);
    await resolve(id, 2, { use: 'payout', toMerchant: { paymentServiceId: desk.environment.paymentServiceId } });
    assert.deepEqual([await available(), await findings()], [before, []]);
  });

  test('keeps the state of its payout to a recipient, also where the line was the total of a file', async () => {
    const { app, desk, take, resolve, reopen, usesOf, findings } = await open();
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const files = { owner: desk.environment, by: desk.maker, format: 'santander', payer, batchId: null };
    const sent = async (...amounts: number[]) => {
      const payouts = await approved(
        app,
        desk,
        amounts.map((amount) => wish({ amount })),
      );
      await makePayoutFiles(app, files);
      return payouts[0]?.id ?? '';
    };
    const [wrong, right] = [await sent(5000), await sent(5000)];
    await sent(3000, 4000);
    const id = await take([-5000, 'TRANSFERENCIA'], [-7000, 'NOMINA']);
    await resolve(id, 2, { use: 'payout', payoutId: wrong });
    assert.match(String((await usesOf(id))[1]), /^payout,pf_/);
    await reopen(id, 2);
    await reopen(id, 3);
    assert.equal((await selectPayoutAnywhere(app.db, wrong))?.state, 'confirmed');
    await resolve(id, 2, { use: 'payout', payoutId: right });
    assert.deepEqual(await findings(), []);
  });

  test('is refused while what was booked with it stands, for an unrelated line and without the permission', async () => {
    const { app, desk, take, resolve, reopen, takeBack, usesOf, findings } = await open();
    const { paymentServiceId } = desk.environment;
    const id = await take([-5000, 'CARGO'], [6000, 'ABONO'], [-700, 'COMISION']);
    await resolve(id, 2, { use: 'payout', toMerchant: { paymentServiceId } });
    await resolve(id, 3, { use: 'deposit', deposit: { paymentServiceId, paymentMethod: null, commission: 0 } });
    await resolve(id, 4, { use: 'other' });
    const uses = await usesOf(id);
    const undo = (kind: string, line: number) =>
      `bin/rubrica ${kind} return ${id}/${line} --payment-service ${paymentServiceId} --environment development`;
    for (const [line, kind] of [
      [2, 'payout'],
      [3, 'deposit'],
    ] as const)
      await assert.rejects(reopen(id, line), { code: 'PAYOUT_STATE', message: new RegExp(undo(kind, line)) });
    await assert.rejects(reopen(id, 4), { code: 'PAYOUT_STATE', message: /unrelated/ });
    await assert.rejects(reopen(id, 9), { code: 'NOT_FOUND' });
    const other = await openPayoutDesk(app);
    for (const [by, code] of [
      [desk.approver, 'PERMISSION_MISSING'],
      [other.maker, 'PERMISSION_MISSING'],
      [TESTER, 'PERSON_NEEDED'],
    ] as const) {
      await takeBack('payout', `${id}/2`);
      await assert.rejects(reopen(id, 2, by), { code });
    }
    assert.deepEqual(await usesOf(id), uses);
    await reopen(id, 2);
    await resolve(id, 2, { use: 'payout', toMerchant: { paymentServiceId } });
    assert.deepEqual(await findings(), []);
  });

  test('and whose deposit is taken back at the same time, is reopened once', async () => {
    const { app, desk, take, resolve, reopen, takeBack, usesOf, findings } = await open();
    const id = idOf(await deposit(app, desk.environment, 5000, { paymentMethod: null, reference: 'TRF-1' }));
    const statement = await take([5000, 'ABONO'], [5000, 'OTRO ABONO']);
    await resolve(statement, 2, bookedBy(id));
    let asked: Promise<unknown>[] = [];
    await app.db.transaction(async (tx) => {
      await lockLine(tx, { statementId: statement, fileLine: 2 });
      asked = [reopen(statement, 2), takeBack('deposit', 'TRF-1')];
      await untilQueued(app.db, 2);
    });
    await Promise.all(asked);
    assert.deepEqual((await usesOf(statement))[0], ['suspense', null]);
    assert.equal((await listAudit(app, { action: 'statement.line_reopened' }, 10)).acts.length, 1);
    assert.equal((await listAudit(app, { action: 'deposit.returned' }, 10)).acts.length, 1);
    assert.deepEqual(await findings(), []);
  });
});
