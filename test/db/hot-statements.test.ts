import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { explain, type HeardStatement, listenToStatements } from '../support/heard-statements.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import { PARTITIONS, partitionByEnvironment } from '../support/partitioned-schema.ts';
import { journeyParts, runJourneys } from '../support/payment-journeys.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/**
 * Parts of the only statements on these journeys that may query every partition: the worker's searches across
 * merchants, reads in commit order, and look-ups by id alone.
 */
const EVERYWHERE: readonly string[] = [
  'from payment_attempts where next_lookup_at <=',
  "from transactions t where t.state = 'pending' and t.expires_at <=",
  "min(next_attempt_at) as oldest from callbacks where state = 'queued'",
  'update callbacks set lease = $2, next_attempt_at = $3 where',
  'from refunds where next_lookup_at <=',
  'from events where {after_cursor}',
  'select id, environment_id, reference, customer_email, amount, currency, created_at from transactions where id {among $1}',
  'where t.id {among $1} order by t.id desc',
  'from payment_attempts where transaction_id {among $1}',
  'left join delivery_attempts a on',
  'where c.id = $1',
];

const LARGE =
  /\b(transactions|events|payment_attempts|refunds|callbacks|delivery_attempts|journal_entries|movements)\b/;

forEachEngine('the statements of payments, refunds and callbacks', (openTestDatabase, engine) => {
  if (engine === 'sqlite') {
    test('scan no whole table', async () => {
      const { app, heard } = await hearJourneys(openTestDatabase, async () => {});
      for (const statement of heard) {
        const plan = await explain(app, statement);
        assert.deepEqual(plan.filter(readsAll), [], `${plain(statement)}\n${plan.join('\n')}`);
      }
    });

    test('of a move continue from a position and neither scan nor sort all rows of the merchant', async () => {
      const { from, to, merchant } = await twoWithShop(openTestDatabase);
      const [one, other] = [listenToStatements(from), listenToStatements(to)];
      await movePaymentService(one.app, other.app, wishOf(merchant));
      for (const [app, heard] of [
        [from, one.heard],
        [to, other.heard],
      ] as const) {
        const large = heard.filter(({ sql }) => LARGE.test(sql) && !/^(?:create|drop) trigger/.test(sql));
        assert.ok(large.length > 10, `${large.length} statements were heard`);
        for (const statement of large) {
          if (ONCE_IN_A_MOVE.some((piece) => plain(statement).includes(piece))) continue;
          const plan = await explain(app, statement);
          const isPage = / order by id limit /.test(statement.sql);
          const bad = plan.filter((line) => isSort(line) || (readsAll(line) && !(isPage && line.startsWith('SCAN '))));
          assert.deepEqual(bad, [], `${plain(statement)}\n${plan.join('\n')}`);
        }
      }
    });

    test('that scan a table are detected by their plan', async () => {
      const app = createTestApp(await openTestDatabase());
      for (const [sql, bad] of [
        ["select * from journal_entries where payment_attempt_id = 'pa_1'", /^SCAN journal_entries/],
        [
          'select * from journal_entries where transaction_id = 1 and environment_id = 1 order by link',
          /environment_id=/,
        ],
        ["select * from callbacks where webhook_id like '%1'", /^SCAN callbacks/],
      ] as const) {
        const plan = await explain(app, { sql, parameters: [] });
        assert.match(plan.filter(readsAll).join(), bad, plan.join('\n'));
      }
    });
  } else {
    test('name their environment, so that a store divided by environment is asked in one part only', async () => {
      const { app, heard } = await hearJourneys(openTestDatabase, async (made) => {
        const tables = await partitionByEnvironment(made.db);
        assert.ok(tables.length > 10);
      });
      const unused = new Set(EVERYWHERE);
      for (const statement of heard) {
        if ((await partsAsked(app, statement)) < PARTITIONS) continue;
        const known = EVERYWHERE.find((piece) => plain(statement).includes(piece));
        assert.ok(known !== undefined, `only listed statements query every partition: ${plain(statement)}`);
        unused.delete(known);
      }
      assert.deepEqual([...unused], []);
      assert.ok((await verifyStore(app)).ok);
    });

    test('and keys without an environment are detected', async () => {
      const app = createTestApp(await openTestDatabase());
      await partitionByEnvironment(app.db);
      const byId = { sql: 'select * from refunds where id = $1', parameters: ['rf_1'] };
      assert.equal(await partsAsked(app, byId), PARTITIONS);
      const named = { sql: 'select * from refunds where id = $1 and environment_id = $2', parameters: ['rf_1', 3] };
      assert.equal(await partsAsked(app, named), 1);
      const key = 'create unique index refunds_by_id on refunds (id)';
      await assert.rejects(
        app.db.transaction((tx) => tx.query(key)),
        /must include all partitioning columns/,
      );
    });
  }
});

/** Runs the journeys of two merchants on a new store, after `prepare`. Returns the statements on large tables. */
async function hearJourneys(openTestDatabase: OpenTestDatabase, prepare: (app: TestApp) => Promise<void>) {
  const { script, parts } = journeyParts();
  const app = createTestApp(await openTestDatabase(), parts);
  await prepare(app);
  const listening = listenToStatements(app);
  for (let merchant = 0; merchant < 2; merchant++) {
    await runJourneys(listening.app, script, await createTestEnvironment(app));
  }
  // This statement is of the test, which waits until the feed shows everything.
  const heard = listening.heard.filter(({ sql }) => LARGE.test(sql) && !sql.startsWith('select 1 as one from events'));
  assert.ok(heard.length > 50, `${heard.length} statements were heard`);
  return { app, heard };
}

/**
 * Whether a line of a plan reads a whole table or index, or everything of one environment. SQLite's own intermediate
 * tables are small, and so are partial indexes of waiting rows.
 */
function readsAll(line: string): boolean {
  const [, verb, name = '', how = ''] = /^(SCAN|SEARCH) (\S+)(.*)$/.exec(line) ?? [];
  if (verb === 'SEARCH') return how.includes('(environment_id=?)');
  return verb === 'SCAN' && !/^(?:CONSTANT|json_each|due|ranked|sums|\(subquery)/.test(name) && !OF_WAITING.test(how);
}

/** Run once in a move: the range of ids, and the ends of the chains, which are two rows of an environment. */
const ONCE_IN_A_MOVE: readonly string[] = [
  'select min(id) as low, max(id) as high from transactions',
  'from journal_heads h where h.environment_id',
];

const isSort = (line: string) => line === 'USE TEMP B-TREE FOR ORDER BY';

const OF_WAITING = / USING (?:COVERING )?INDEX (?:callbacks_due|refunds_open_of_transaction)$/;

/** Returns the largest number of partitions of one table in the plan. */
async function partsAsked(app: TestApp, statement: HeardStatement): Promise<number> {
  const [plan = ''] = await explain(app, statement, true);
  const parts = new Set(
    [...plan.matchAll(/"Relation Name":\s*"(\w+)_p(\d)"/g)].map(([, table, part]) => `${table} ${part}`),
  );
  const counts = Map.groupBy(parts, (part) => part.split(' ')[0]);
  return Math.max(0, ...[...counts.values()].map((of) => of.length));
}

function plain({ sql }: HeardStatement): string {
  return sql.replace(/\s+/g, ' ').trim();
}
