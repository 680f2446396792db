import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectAudit } from '../../src/audit/audit-queries.ts';
import { selectEntriesOfPayout } from '../../src/books/journal-queries.ts';
import { translateSql } from '../../src/db/dialect.ts';
import { selectLinks } from '../../src/payment-links/payment-link-queries.ts';
import { selectAlike } from '../../src/payouts/approval/alike-payout-queries.ts';
import { updateApprovedDue } from '../../src/payouts/due-payout-queries.ts';
import { selectPayoutFiles, sumApprovedOf, sumFiles } from '../../src/payouts/files/payout-file-queries.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { selectBatches, sumBatches } from '../../src/payouts/payout-batch-queries.ts';
import {
  lockApproved,
  lockPayouts,
  selectApprovedOfBatches,
  selectLastAccounts,
  selectPayouts,
  selectPayoutsOfRut,
  selectUnbookedPayouts,
  sumApprovedBy,
  updateFileLines,
} from '../../src/payouts/payout-queries.ts';
import { measureWaitingPayouts, selectWaitingApprovals } from '../../src/payouts/waiting-payout-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, type HeardStatement, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { openPayoutDesk, propose, wish } from '../support/test-payouts.ts';

forEachEngine('SQL statements of payouts', (openTestDatabase, engine) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const environmentId = await fill(app);
    const listening = listenToStatements(app);
    /** Returns the plan of a statement. PostgreSQL would read small tables whole, so this turns such reads off. */
    const planOf = async (ask: (app: TestApp) => Promise<unknown>): Promise<string> => {
      await ask(listening.app);
      const statement = listening.heard.at(-1) as HeardStatement;
      if (engine === 'sqlite') return (await explain(app, statement)).join('\n');
      return (await explainByIndexes(app, statement)).join('\n');
    };
    return { environmentId, planOf };
  };

  test('the payouts of a batch, a recipient or a reference are read by an index', async () => {
    const { environmentId, planOf } = await open();
    const page = { limit: 10 };
    for (const [filter, index] of [
      [{ batchId: 'pb_1' }, 'payouts_of_batch'],
      [{ rutHash: 'h' }, 'payouts_of_rut'],
      [{ reference: 'r' }, 'payouts_of_reference'],
    ] as const) {
      assert.match(await planOf(({ db }) => selectPayouts(db, [environmentId], filter, page)), new RegExp(index));
    }
  });

  test('the entries of a payout are read without reading the books of its merchant', async () => {
    const { environmentId, planOf } = await open();
    const plan = await planOf(({ db }) => selectEntriesOfPayout(db, { id: 'po_1', environment_id: environmentId }));
    assert.match(plan, /journal_entries_of_payout/);
  });

  test('batches and bank files with a payout in a state are found by an index, without reading their other payouts', async () => {
    const { environmentId, planOf } = await open();
    for (const [ask, index] of [
      [({ db }: TestApp) => selectBatches(db, [environmentId], 'rejected', { limit: 10 }), 'payouts_of_batch_in_state'],
      [
        ({ db }: TestApp) => selectPayoutFiles(db, [environmentId], 'rejected', { limit: 10 }),
        'payouts_of_file_in_state',
      ],
    ] as const)
      assert.match(await planOf(ask), new RegExp(index));
  });

  test('no statement about some payouts of a merchant reads all of them', async () => {
    const { environmentId, planOf } = await open();
    const after = { created_at: 500, id: 'po_500' };
    for (const [ask, index] of [
      [({ db }) => sumApprovedBy(db, { userId: 'usr_1', since: 1 }), 'payouts_approved_by'],
      [
        ({ db }) => selectPayouts(db, [environmentId], { state: 'unknown' }, { limit: 10 }),
        'payouts_of_state|payouts_open',
      ],
      [({ db }) => selectPayouts(db, [environmentId], { state: 'failed' }, { limit: 10, after }), 'payouts_of_state'],
      [({ db }) => db.transaction((tx) => selectApprovedOfBatches(tx, environmentId, ['pb_1'])), OF_BATCH],
      [({ db }) => sumBatches(db, environmentId, ['pb_1', 'pb_2']), OF_BATCH],
      [({ db }) => sumFiles(db, environmentId, ['pf_1', 'pf_2']), OF_FILE],
      [({ db }) => db.transaction((tx) => updateFileLines(tx, environmentId, 'pf_1')), OF_FILE],
      [({ db }) => sumApprovedOf(db, [environmentId]), OPEN_ONLY],
      [({ db }) => db.transaction((tx) => updateApprovedDue(tx, environmentId, null)), OPEN_ONLY],
      [({ db }) => measureWaitingPayouts(db, { unknown: 1, sender: 1, file: 1 }), OPEN_ONLY],
      [({ db }) => selectAlike(db, environmentId, ['po_1'], 1), OF_RUT],
      [({ db }) => selectPayoutsOfRut(db, 'h'), OF_RUT],
    ] as const satisfies [(app: TestApp) => Promise<unknown>, string][]) {
      const plan = await planOf(ask);
      assert.match(plan, new RegExp(index));
      if (engine === 'sqlite') assert.doesNotMatch(plan, ALL_OF_MERCHANT);
    }
  });

  test('payouts that wait for approval are read from the index of open payouts', {
    skip: engine !== 'sqlite',
  }, async () => {
    const { planOf } = await open();
    const terms = { now: 1, before: 1, validatedBefore: 1, indirect: [], unpaid: [] };
    const plan = await planOf(({ db }) => selectWaitingApprovals(db, terms, 10));
    assert.equal(plan.match(/SCAN (payouts|p) USING INDEX payouts_open/g)?.length, 2);
  });

  test('the token holders behind waiting payouts are looked up once, not once for each possible approver', async () => {
    const { planOf } = await open();
    const terms = { now: 1, before: 1, validatedBefore: 1, indirect: [], unpaid: [] };
    const plan = await planOf(({ db }) => selectWaitingApprovals(db, terms, 10));
    if (engine === 'sqlite')
      return assert.match(plan, /SEARCH h USING AUTOMATIC .*\(user_id=\? AND holder_id=\?\) LEFT-JOIN/);
    const [ofAlone] = plan.split('CTE alone\n')[1]?.split(/CTE \w+\n/) ?? [];
    assert.match(ofAlone ?? '', /CTE Scan on ends/);
    assert.doesNotMatch(ofAlone ?? '', /SubPlan/);
  });

  test('the newest payouts are read in the order of an index, without a sort', async () => {
    const { environmentId, planOf } = await open();
    const many = Array.from({ length: 20 }, (_, at) => environmentId + at);
    const pages = [{ limit: 10 }, { limit: 10, after: { created_at: 500, id: 'po_500' } }];
    for (const page of pages) {
      const few = await planOf(({ db }) => selectPayouts(db, [environmentId, environmentId + 1], {}, page));
      assert.match(few, engine === 'sqlite' ? /payouts_of_day.*payouts_of_day/s : /Index Scan.*Index Scan/s);
      assert.doesNotMatch(few.split('UNION ALL')[0] ?? few, /TEMP B-TREE|-> +(Incremental )?Sort\b/);
      const all = await planOf(({ db }) => selectPayouts(db, many, { since: 1, state: 'rejected' }, page));
      assert.match(all, /payouts_newest/);
      assert.doesNotMatch(all, /TEMP B-TREE|-> +(Incremental )?Sort\b/);
    }
  });

  test('the lists of a person who sees no payment service ask the store nothing', async () => {
    const { app, heard } = listenToStatements(createTestApp(await openTestDatabase()));
    assert.deepEqual(await selectPayouts(app.db, [], {}, { limit: 10 }), []);
    assert.deepEqual(await selectLinks(app.db, [], { limit: 10 }), []);
    assert.deepEqual(heard, []);
  });

  test('the newest payouts of several merchants are paged in one order', async () => {
    const app = createTestApp(await openTestDatabase());
    const desks = [await openPayoutDesk(app), await openPayoutDesk(app)];
    for (const at of [0, 1, 0, 1, 1]) {
      await propose(app, desks[at] as (typeof desks)[number], [wish(), wish()]);
      app.now.advance(1);
    }
    const ids = desks.map(({ environment }) => environment.id);
    const read = async (environmentIds: readonly number[]) => {
      const found: string[] = [];
      for (let after: Payout | null = null; ; ) {
        const page: Payout[] = await selectPayouts(app.db, environmentIds, {}, { after, limit: 3 });
        found.push(...page.map(({ id }) => id));
        after = page.at(-1) ?? null;
        if (after === null) return found;
      }
    };
    const all = await app.db.query<{ id: string }>('select id from payouts order by created_at desc, id');
    const expected = all.map(({ id }) => id);
    assert.equal(expected.length, 10);
    assert.deepEqual(await read(ids), expected);
    assert.deepEqual(await read([...ids, ...Array.from({ length: 20 }, (_, at) => 1000 + at)]), expected);
    assert.deepEqual(await read([]), []);
  });

  test('payouts are locked without being written', async () => {
    const { environmentId, planOf } = await open();
    for (const ask of [
      ({ db }: TestApp) => db.transaction((tx) => lockPayouts(tx, { environmentId, batchId: 'pb_1' })),
      ({ db }: TestApp) => db.transaction((tx) => lockApproved(tx, environmentId, null)),
      ({ db }: TestApp) => db.transaction((tx) => lockApproved(tx, environmentId, 'pb_1')),
    ]) {
      const plan = await planOf(ask);
      assert.match(plan, /payouts_of_batch|payouts_open/);
      assert.doesNotMatch(plan, /Update on/);
      if (engine === 'postgres') assert.match(plan, /LockRows/);
    }
  });

  test('the last account that was paid for a RUT is found without comparing its payouts with each other', async () => {
    const { environmentId, planOf } = await open();
    const plan = await planOf(({ db }) => selectLastAccounts(db, environmentId, ['h-1']));
    assert.match(plan, /payouts_of_rut/);
    assert.doesNotMatch(plan, /SubPlan|CORRELATED|Anti Join/);
  });

  test('the maker of a payout file is found by the audit log’s index of actions', async () => {
    const { planOf } = await open();
    const plan = await planOf(({ db }) => selectAudit(db, { action: 'payout.filed', since: 1, until: 2 }, 200));
    assert.match(plan, /(SEARCH|Scan).* audit_log_of_action/);
    assert.doesNotMatch(plan, /SCAN|Sort/);
  });

  test('payouts are compared with the books without a subquery for each payout', async () => {
    const { planOf } = await open();
    const plan = await planOf(({ db }) => selectUnbookedPayouts(db));
    assert.doesNotMatch(plan, /SubPlan|CORRELATED|SCAN (?!p\b)/);
    assert.match(plan, /journal_entries_of_payout/);
  });
});

// PostgreSQL keeps statistics, and chooses among the indexes by them.
const OF_BATCH = 'payouts_of_batch \\(environment_id=\\? AND batch_id=\\?\\)|Index.* Scan';
const OF_FILE = 'payouts_of_file\\w* \\(environment_id=\\? AND (state=\\? AND )?file_id=\\?\\)|Index.* Scan';
const OPEN_ONLY = 'payouts_open|Index.* Scan';
const OF_RUT = 'payouts_of_rut \\(environment_id=\\? AND rut_hash=\\?|Index.* Scan';
/** A step that reads every payout, or every payout of a merchant. */
const ALL_OF_MERCHANT = /SCAN (payouts|p)$|INDEX payouts_(?!open)\w+ \(environment_id=\?\)/m;

/** Adds ended payouts of one merchant, in batches of ten. Returns the id of the environment. */
async function fill(app: TestApp): Promise<number> {
  const desk = await openPayoutDesk(app);
  const [made] = await propose(app, desk);
  const rows = Array.from({ length: 1000 }, (_, at) => ({
    ...made,
    id: `po_${at}`,
    reference: `r-${at}`,
    batch_id: `pb_${Math.floor(at / 10)}`,
    rut_hash: `h-${at % 100}`,
    created_at: at,
    state: 'rejected',
  }));
  const [first] = rows as [(typeof rows)[number]];
  await app.db.transaction((tx) => tx.insertRows({ name: 'payouts', columns: Object.keys(first) }, rows, ''));
  if (app.db.engine === 'postgres') await app.db.transaction((tx) => tx.query('analyze payouts'));
  return desk.environment.id;
}

async function explainByIndexes(app: TestApp, { sql, parameters }: HeardStatement): Promise<string[]> {
  const plan = await app.db.transaction(async (tx) => {
    await tx.query('set local enable_seqscan = off');
    await tx.query('set local enable_bitmapscan = off');
    return tx.query(`explain ${translateSql('postgres', sql)}`, parameters);
  });
  return plan.map((row) => String(row['QUERY PLAN']));
}
