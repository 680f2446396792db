import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectImportedOf } from '../../src/movements/imported-payment-queries.ts';
import { countUnresolvedOf, selectBookedMovements, selectMovements } from '../../src/movements/movement-queries.ts';
import {
  countOpenLines,
  insertStatement,
  lockCandidates,
  selectLinesOfDays,
  selectMovementsOfAmounts,
  selectPayoutsOfAmounts,
  selectStatements,
} from '../../src/statements/bank-statement-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, type HeardStatement, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

forEachEngine('SQL statements of bank statements and of a month', (openTestDatabase, engine) => {
  const ACCOUNT = { environment: 'development', paymentServiceId: null, account: '123' } as const;

  test('count what waits without reading what has ended', async () => {
    const app = createTestApp(await openTestDatabase());
    const listening = listenToStatements(app);
    const month = { first: '2026-01-01', last: '2026-01-31' };
    for (const [ask, index] of [
      [({ db }) => selectStatements(db, null, false, { limit: 10 }), 'bank_statement_lines_in_suspense'],
      [
        ({ db }) => selectStatements(db, null, true, { limit: 10 }),
        'EXISTS USING COVERING INDEX bank_statement_lines_in_suspense',
      ],
      [({ db }) => selectLinesOfDays(db, ACCOUNT, ['2026-01-01']), 'bank_statements_of_day .*last_day>'],
      [({ db }) => countOpenLines(db, 'development', month), 'bank_statement_lines_open'],
      [({ db }) => countUnresolvedOf(db, [1], 1), 'journal_entries_in_suspense'],
      [({ db }) => selectImportedOf(db, [1], 'webpay', month), 'imported_payments_of_day .*settled_on>'],
    ] as const satisfies [(one: TestApp) => Promise<unknown>, string][]) {
      await ask(listening.app);
      const plan = (await explain(app, listening.heard.at(-1) as HeardStatement)).join('\n');
      // PostgreSQL keeps statistics, and reads empty tables whole.
      if (engine === 'sqlite') assert.match(plan, new RegExp(index));
    }
  });

  test('the payouts and deposits that a line may match are found by their amounts, the newest without the others', {
    skip: engine === 'postgres' && 'PostgreSQL reads a small table whole whatever its indexes are',
  }, async () => {
    const app = createTestApp(await openTestDatabase());
    const listening = listenToStatements(app);
    const span = { environmentIds: [1, 2], amounts: [1, 2], since: 5 };
    const search = { environment: '', kind: '', text: '', from: 1, to: 5 };
    for (const [ask, ...indexes] of [
      [({ db }) => db.transaction((tx) => lockCandidates(tx, span)), OF_PAYOUT_AMOUNT, OF_AMOUNT],
      [({ db }) => selectPayoutsOfAmounts(db, span), OF_PAYOUT_AMOUNT],
      [({ db }) => selectMovementsOfAmounts(db, 'deposit', span), OF_AMOUNT],
      [({ db }) => selectMovements(db, 'payout', 10), 'movements_newest'],
      [({ db }) => selectBookedMovements(db, search, 10), 'movements_newest \\(created_at>\\? AND created_at<\\?\\)'],
    ] as const satisfies [(one: TestApp) => Promise<unknown>, ...string[]][]) {
      const before = listening.all.length;
      await ask(listening.app);
      const asked = listening.all.slice(before);
      assert.equal(asked.length, indexes.length);
      for (const [at, statement] of asked.entries()) {
        const plan = (await explain(app, statement)).join('\n');
        assert.match(plan, new RegExp(indexes[at] as string));
        assert.doesNotMatch(plan, /payouts_left/);
      }
    }
  });

  test('the newest statements are the same, with and without those that have no open line', async () => {
    const app = createTestApp(await openTestDatabase());
    await app.db.transaction(async (tx) => {
      for (const at of [1, 2, 3]) await insertStatement(tx, statement(at));
      const columns = Object.keys(line(1, 1, 'other'));
      const lines = [line(1, 1, 'suspense'), line(1, 2, 'suspense'), line(2, 1, 'other'), line(3, 1, 'suspense')];
      await tx.insertRows({ name: 'bank_statement_lines', columns }, lines);
    });
    const read = async (limit: number, openOnly: boolean) =>
      (await selectStatements(app.db, null, openOnly, { limit })).map(({ id, open }) => [id, open]);
    assert.deepEqual(await read(2, false), [
      ['st_3', 1],
      ['st_2', 0],
    ]);
    assert.deepEqual(await read(2, true), [
      ['st_3', 1],
      ['st_1', 2],
    ]);
    const days = async (...named: string[]) =>
      (await selectLinesOfDays(app.db, ACCOUNT, named)).map(({ day }) => day).sort();
    assert.deepEqual(await days('2026-01-03', '2026-01-01'), ['2026-01-01', '2026-01-01', '2026-01-03']);
    assert.deepEqual(await days('2026-01-02'), ['2026-01-02']);
    assert.deepEqual(await days(), []);
  });
});

const OF_PAYOUT_AMOUNT = 'payouts_of_amount \\(environment_id=\\? AND amount=\\? AND sent_at>';
const OF_AMOUNT = 'movements_of_amount \\(environment_id=\\? AND amount=\\? AND created_at>';

const dayAt = (at: number) => `2026-01-0${at}`;

function statement(at: number) {
  return {
    id: `st_${at}`,
    environment: 'development' as const,
    payment_service_id: null,
    account: '0123',
    file_name: 'cartola.csv',
    file_sha256: String(at),
    imported_at: at,
    imported_by: 'ana@example.cl',
    first_day: dayAt(at),
    last_day: dayAt(at),
    lines: 2,
    proof: 'balance' as const,
  };
}

function line(at: number, number: number, use: string) {
  return {
    statement_id: `st_${at}`,
    number,
    environment: 'development',
    owner: '',
    file_line: number,
    day: dayAt(at),
    amount: 1,
    currency: 'CLP',
    line_key: `${at} ${number}`,
    used_as: use,
    kept_at: at,
  };
}
