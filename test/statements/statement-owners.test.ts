import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { recordMovement } from '../../src/movements/record-movement.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import type { StatementLine } from '../../src/statements/statement.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, type PayoutDesk, wish } from '../support/test-payouts.ts';
import { untilQueued } from '../support/until-queued.ts';

type Taking = { account?: string; of?: string | null; from?: TestApp };

forEachEngine('statement lines and their owners', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const line = (at: number, amount: number, text: string): StatementLine => ({
      line: at,
      day: dayOf(app.now()),
      amount,
      text,
    });
    const take = (
      desk_: PayoutDesk,
      lines: readonly StatementLine[],
      { account = '123456789', of = null, from = app }: Taking = {},
    ) =>
      importStatement(
        from,
        {
          environment: 'development',
          paymentServiceId: of,
          account,
          evidence: { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' },
          by: desk_.maker,
        },
        { lines, proof: 'balance' },
      );
    return { app, desk, line, take };
  };

  test('a large statement is read in pages, in the order of the file, and lets payments run in between', async () => {
    const { app, desk, line, take } = await open();
    const lines = Array.from({ length: 2500 }, (_, at) => line(at + 2, 1000 + at, `TEF ${at}`));
    const { id } = await take(desk, lines);
    const left = await take(desk, [line(2, -1, 'COMISION')], { account: '987654321' });
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const found = await readLines(app, id ?? '', null);
    clearImmediate(next);
    assert.deepEqual(
      found.map(({ file_line, amount }) => [file_line, amount]),
      lines.map(({ line: at, amount }) => [at, amount]),
    );
    assert.ok(turns >= 2, `${turns} turns of the event loop`);
    assert.deepEqual(await readLines(app, id ?? '', 'other'), []);
    assert.equal((await readLines(app, left.id ?? '', 'suspense')).length, 1);
  });

  test('one of several concurrent statements confirms a payout, and the lines of the others wait', async () => {
    const { app, desk, line, take } = await open();
    const [payout] = await sent(app, desk, 15_000);
    const both = await Promise.all(
      ['111111', '222222', '333333', '444444'].map((account) =>
        take(desk, [line(2, -15_000, 'TEF 12531909-2')], { account }),
      ),
    );
    const uses = both.map(({ uses }) => [uses.payout, uses.suspense].join(' ')).sort();
    assert.deepEqual(uses, ['0 1', '0 1', '0 1', '1 0']);
    assert.equal((await selectPayoutAnywhere(app.db, payout?.id ?? ''))?.state, 'confirmed');
    const lines = await app.db.query("select number from bank_statement_lines where used_as = 'payout'");
    assert.equal(lines.length, 1);
  });

  test('of a concurrent file total and a line of one of its payouts, only one is matched', async () => {
    const { app, desk, line, take } = await open();
    await sent(app, desk, 15_000, 9000);
    const lines = [line(2, -24_000, 'NOMINA'), line(2, -9000, 'TEF 12531909-2')];
    const done = await Promise.all(lines.map((one, at) => take(desk, [one], { account: `11111${at}` })));
    assert.equal(
      done.reduce((sum, { uses }) => sum + uses.payout, 0),
      1,
    );
  });

  test('an import and a decision about a line ask for no second connection of the database', async () => {
    const { app, desk, line, take } = await open();
    const [payout, other] = await sent(app, desk, 15_000, 9000);
    let inside = 0;
    const query: TestApp['db']['query'] = (sql, parameters) => {
      assert.equal(inside, 0, sql);
      return app.db.query(sql, parameters);
    };
    const transaction: TestApp['db']['transaction'] = (work, kind) =>
      app.db.transaction((tx) => {
        inside++;
        return work(tx).finally(() => inside--);
      }, kind);
    // A new app knows no environment yet.
    const strict = () => ({ ...app, db: { ...app.db, query, transaction } });
    const lines = [line(2, -15_000, `TEF ${payout?.id}`), line(3, -9000, 'CARGO'), line(4, -9000, 'CARGO')];
    const { id, settled } = await take(desk, lines, { from: strict() });
    assert.deepEqual(settled, [payout?.id]);
    await resolveLine(strict(), {
      statementId: id ?? '',
      fileLine: 3,
      is: { use: 'payout', payoutId: other?.id ?? '' },
      reason: 'seen in the portal',
      by: desk.maker,
    });
  });

  test('one file that two people import at once, for a merchant and for all, brings its lines once', async () => {
    const { app, desk, line, take } = await open();
    const lines = [line(2, -15_000, 'OTRO CARGO'), line(3, 20_000, 'ABONO')];
    const imports: ReturnType<typeof take>[] = [];
    await app.db.transaction(async (tx) => {
      await tx.query('update audit_head set link = link where id = 1');
      for (const [at, of] of [desk.environment.paymentServiceId, null].entries()) {
        imports.push(take(desk, lines, { of }));
        await untilQueued(app.db, at + 1);
      }
    });
    const known = (await Promise.all(imports)).map((one) => one.known);
    assert.deepEqual(
      known.toSorted((one, other) => one - other),
      [0, 2],
    );
  });

  test('a person cannot assign a line to a payout whose file already has one', async () => {
    const { app, desk, line, take } = await open();
    const [payout] = await sent(app, desk, 15_000, 9000);
    await take(desk, [line(2, -24_000, 'NOMINA')]);
    const { id: statementId } = await take(desk, [line(3, -15_000, 'OTRO CARGO')]);
    const is = { use: 'payout' as const, payoutId: payout?.id ?? '' };
    const decision = { statementId: statementId ?? '', fileLine: 3, is, reason: 'seen', by: desk.maker };
    await assert.rejects(resolveLine(app, decision), { code: 'PAYOUT_STATE' });
  });

  test('concurrent requests assign one line to a deposit, and the others get PAYOUT_STATE', async () => {
    const { app, desk, line, take } = await open();
    const target = { paymentServiceId: desk.environment.paymentServiceId, environment: 'development' as const };
    const recorded = await recordMovement(app, target, {
      kind: 'deposit',
      reference: 'TBK-1',
      amount: 20_000,
      commission: 0,
      currency: 'CLP',
      paymentMethod: null,
      by: TESTER,
    });
    const id = 'movement' in recorded ? recorded.movement.id : '';
    const lines = [2, 3, 4, 5].map((at) => line(at, 20_000, 'ABONO'));
    const { id: statementId } = await take(desk, lines);
    const decide = (fileLine: number) =>
      resolveLine(app, {
        statementId: statementId ?? '',
        fileLine,
        is: { use: 'deposit', deposit: { id } },
        reason: 'seen',
        by: desk.maker,
      }).then(
        () => 'used',
        (error: { code?: string }) => error.code ?? 'no code',
      );
    const answers = await Promise.all([2, 3, 4, 5].map(decide));
    assert.deepEqual(answers.sort(), ['PAYOUT_STATE', 'PAYOUT_STATE', 'PAYOUT_STATE', 'used']);
  });

  test('a line that another merchant imported as its own still confirms the owner’s payout', async () => {
    const { app, desk, line, take } = await open();
    const stranger = await openPayoutDesk(app);
    const [payout] = await sent(app, desk, 15_000);
    const lines = [line(2, -15_000, 'TEF 12531909-2')];
    await take(stranger, lines, { of: stranger.environment.paymentServiceId });
    const own = await take(desk, lines, { of: desk.environment.paymentServiceId });
    assert.deepEqual([own.known, own.uses.payout], [0, 1]);
    assert.equal((await selectPayoutAnywhere(app.db, payout?.id ?? ''))?.state, 'confirmed');
    const house = await take(desk, lines);
    assert.equal(house.known, 1, 'the lines of the shared account are already known');
  });

  test('a line of the shared account is the same line in the account of one merchant', async () => {
    const { app, desk, line, take } = await open();
    await sent(app, desk, 15_000);
    const lines = [line(2, -15_000, 'TEF 12531909-2')];
    assert.equal((await take(desk, lines)).uses.payout, 1);
    const again = await take(desk, lines, { of: desk.environment.paymentServiceId, account: '00123456789' });
    assert.deepEqual([again.known, again.id], [1, null]);
  });
});

/** Creates payouts that were sent in one file. */
async function sent(app: TestApp, desk: PayoutDesk, ...amounts: number[]) {
  const payouts = await approved(
    app,
    desk,
    amounts.map((amount) => wish({ amount })),
  );
  const { environment: owner, maker: by } = desk;
  const payer = { account: '123456789', rut: '', name: '', agreement: '' };
  await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
  return payouts;
}
