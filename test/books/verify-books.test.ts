import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEntry } from '../../src/books/journal-entry.ts';
import { selectHeads } from '../../src/books/journal-queries.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { type BooksProblem, type ExportedHead, verifyBooks } from '../../src/books/verify-books.ts';
import type { Tx } from '../../src/db/database.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction, looseKeys, readingThrough, removeGuards, undone } from '../support/test-books.ts';
import { payOut, setTestFee } from '../support/test-movements.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** Every fourth link records an act of a person. Every payment has a fee as its second line. */
const LINKS = 20;
const MOVEMENTS = 5;
const ENTRIES = 2 * (LINKS - MOVEMENTS) + MOVEMENTS;
/** The number of edits on each engine, with another seed on each. Every kind of edit occurs several times. */
const TAMPERED = 300;
/** More than the 120,000 arguments or so that a call can take. */
const MANY = 130_000;

forEachEngine('verifying the books', (openTestDatabase, engine) => {
  test('finds nothing in intact books, even during concurrent postings', async () => {
    const { app, environment, other } = await open(openTestDatabase);
    const [verification] = await Promise.all([
      verifyBooks(app),
      ...Array.from({ length: 10 }, () => createPaidTransaction(app, environment)),
    ]);
    assert.deepEqual(verification.problems, []);
    assert.deepEqual(await verifyBooks(app, await selectHeads(app.db)), {
      environments: 2,
      entries: 2 * ENTRIES + 2 * 10,
      problems: [],
      records: [],
      balances: [],
      owners: [],
      covered_from: [environment, other].map(({ id }) => ({ environment_id: id, link: 1 })),
    });
  });

  test('finds and locates hundreds of random edits, deletions, swaps and insertions', async () => {
    const { app, heads } = await open(openTestDatabase);
    await removeGuards(app.db);
    const random = createSeededRandom(engine === 'sqlite' ? 20260115 : 20260116);
    const entries = await app.db.query<JournalEntry>('select * from journal_entries');
    const names = Object.keys(TAMPERINGS);
    for (let round = 0; round < TAMPERED; round++) {
      const name = names[round % names.length] as string;
      const tampering = TAMPERINGS[name] as Tampering;
      const problems = await undone(app, async (tx) => {
        if (app.db.engine === 'sqlite') await looseKeys(app.db, tx);
        const touched = await tampering(tx, entries, random);
        const found = await verifyBooks(readingThrough(app, tx), heads);
        assertLocated(found.problems, touched, `round ${round}: ${name}`);
        return found.problems;
      });
      assert.ok(problems.length > 0);
    }
    assert.deepEqual((await verifyBooks(app, heads)).problems, []);
  });

  test('the next link reveals a link that was forged together with its hash', async () => {
    const { app, environment } = await open(openTestDatabase);
    await removeGuards(app.db);
    await app.db.transaction((tx) => forge(tx, environment, 7, 'amount = amount + 1'));
    assert.deepEqual((await verifyBooks(app)).problems, [problem(environment, 'changed', 8)]);
  });

  test('the head of the chain reveals a last link that was forged together with its hash', async () => {
    const { app, environment } = await open(openTestDatabase);
    await removeGuards(app.db);
    await app.db.transaction((tx) => forge(tx, environment, LINKS, "currency = 'USD'"));
    assert.deepEqual((await verifyBooks(app)).problems, [problem(environment, 'rewritten', LINKS)]);
  });

  test('the head of the chain reveals a cut tail, and an exported head does if both were changed', async () => {
    const { app, environment, heads } = await open(openTestDatabase);
    await removeGuards(app.db);
    await app.db.transaction((tx) => cut(tx, environment, 15));
    assert.deepEqual((await verifyBooks(app)).problems, [problem(environment, 'cut', 15, LINKS)]);
    await app.db.transaction((tx) => moveHead(tx, environment, 14));
    assert.deepEqual((await verifyBooks(app)).problems, []);
    assert.deepEqual((await verifyBooks(app, heads)).problems, [problem(environment, 'cut', 15, LINKS)]);
  });

  test('an exported head reveals a chain that was recomputed after an edit', async () => {
    const { app, environment, heads } = await open(openTestDatabase);
    await removeGuards(app.db);
    await app.db.transaction(async (tx) => {
      await forge(tx, environment, 5, 'amount = amount + 1');
      for (let link = 6; link <= LINKS; link++) await forge(tx, environment, link, 'line = line');
      await moveHead(tx, environment, LINKS);
    });
    assert.deepEqual((await verifyBooks(app)).problems, []);
    assert.deepEqual((await verifyBooks(app, heads)).problems, [problem(environment, 'rewritten', LINKS)]);
  });

  test('an exported head reveals books that were deleted entirely', async () => {
    const { app, environment, heads } = await open(openTestDatabase);
    await removeGuards(app.db);
    await app.db.transaction(async (tx) => {
      await cut(tx, environment, 1);
      await tx.query('delete from journal_heads where environment_id = $1', [environment.id]);
    });
    assert.deepEqual((await verifyBooks(app)).problems, []);
    assert.deepEqual((await verifyBooks(app, heads)).problems, [problem(environment, 'cut', 1, LINKS)]);
  });

  test('reports more unbooked payments than a function takes as arguments', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const { id } = await createPaidTransaction(app, environment);
    const [row = {}] = await app.db.query('select * from transactions where id = $1', [id]);
    const columns = Object.keys(row);
    const values = columns.map((name) => ({ id: 'id + n', reference: "reference || '-' || n" })[name] ?? name);
    await app.db.transaction((tx) =>
      tx.query(
        `insert into transactions (${columns.join(', ')})
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < $2)
         select ${values.join(', ')} from transactions, numbers where id = $1`,
        [id, MANY],
      ),
    );
    assert.equal((await verifyBooks(app)).records.length, MANY);
    const scope = { environmentIds: [environment.id], from: 0, to: app.now() + 1, transactionId: 0 };
    const { problems } = await reconcileEntries(app, scope);
    assert.equal(problems.length, MANY);
  });

  test('finds a changed balance', async () => {
    const { app, environment } = await open(openTestDatabase);
    await app.db.transaction((tx) =>
      tx.query("update account_balances set credits = credits + 1 where environment_id = $1 and account = 'bank'", [
        environment.id,
      ]),
    );
    const { problems, balances } = await verifyBooks(app);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      balances.map((one) => ({ ...one })),
      [{ environment_id: environment.id, account: 'bank', currency: 'CLP' }],
    );
  });

  test('finds a balance without entries', async () => {
    const { app, environment } = await open(openTestDatabase);
    await app.db.transaction((tx) =>
      tx.query("insert into account_balances values ($1, 'merchant:payable', 'EUR', 0, 0)", [environment.id]),
    );
    assert.deepEqual(
      (await verifyBooks(app)).balances.map((one) => ({ ...one })),
      [{ environment_id: environment.id, account: 'merchant:payable', currency: 'EUR' }],
    );
  });

  for (const column of ['amount', 'created_at', 'link']) {
    test(`finds a ${column} above the largest safe integer, and other changes beside it`, async () => {
      const { app, environment } = await open(openTestDatabase);
      await removeGuards(app.db);
      const at = 'environment_id = $1 and link = $2 and line = 0';
      const change = (set: string, link: number) =>
        app.db.transaction((tx) => tx.query(`update journal_entries set ${set} where ${at}`, [environment.id, link]));
      await change(`${column} = 9007199254740993`, 5);
      await change("currency = 'USD'", 9);
      const { problems } = await verifyBooks(app);
      for (const link of [5, 9]) assert.ok(problems.some((one) => one.link <= link && link <= one.until));
    });
  }

  if (engine === 'sqlite') {
    for (const [name, statement] of Object.entries({
      'a head of a chain with letters': "update journal_heads set link = link || 'x'",
      'a head of a chain above the largest safe integer': 'update journal_heads set link = 9007199254740993',
      'debits with letters': "update account_balances set debits = debits || 'x'",
      'credits with letters': "update account_balances set credits = credits || 'abc'",
    })) {
      test(`finds ${name}, which SQLite stores`, async () => {
        const { app, environment, heads } = await open(openTestDatabase);
        await app.db.transaction((tx) => tx.query(`${statement} where environment_id = $1`, [environment.id]));
        for (const exported of [[], heads]) {
          const { problems, balances } = await verifyBooks(app, exported);
          const found = [...problems, ...balances];
          assert.ok(found.length > 0 && found.every((one) => one.environment_id === environment.id));
        }
      });
    }
  }

  test('finds entries whose chain has no head', async () => {
    const { app, environment } = await open(openTestDatabase);
    await app.db.transaction((tx) => tx.query('delete from journal_heads where environment_id = $1', [environment.id]));
    const { problems } = await verifyBooks(app);
    assert.deepEqual(problems[0], problem(environment, 'surplus', 1));
  });
});

type Touched = { environment: number; links: number[] };

/** Makes one change and returns the links that it affects. */
type Tampering = (tx: Tx, entries: readonly JournalEntry[], random: () => number) => Promise<Touched>;

const TAMPERINGS: Record<string, Tampering> = {
  edit: async (tx, entries, random) => {
    const entry = pick(entries, random);
    const other = pick(
      entries.filter((one) => one.transaction_id !== entry.transaction_id),
      random,
    );
    const recorded = entries.find(({ movement_id }) => movement_id !== null);
    const [assignment, value] = pick<[string, string | number | null]>(
      [
        ['amount = $4', entry.amount + 1 + Math.floor(random() * 1e6)],
        ['currency = $4', 'USD'],
        ['kind = $4', 'refund'],
        ['movement_id = $4', entry.movement_id === null ? (recorded?.movement_id ?? null) : null],
        ['movement_hash = $4', entry.movement_hash === null ? (recorded?.movement_hash ?? null) : null],
        ['created_at = $4', entry.created_at + 1],
        ['debit_account = $4', 'method:other:receivable'],
        ['credit_account = $4', 'fees'],
        ['transaction_id = $4', other.transaction_id],
        ['transaction_id = $4', entry.transaction_id === null ? other.transaction_id : null],
        ['hash = $4', other.hash],
        ['hash = $4', ''],
        ['line = $4', 2 + Math.floor(random() * 5)],
      ],
      random,
    );
    await tx.query(`update journal_entries set ${assignment} where ${KEY}`, [...keyOf(entry), value]);
    return touched(entry);
  },
  deletion: async (tx, entries, random) => {
    const entry = pick(entries, random);
    await tx.query(`delete from journal_entries where ${KEY}`, keyOf(entry));
    return touched(entry);
  },
  swap: async (tx, entries, random) => {
    const one = pick(entries, random);
    const other = pick(
      entries.filter(
        ({ environment_id, link, line }) =>
          environment_id === one.environment_id && link !== one.link && line === one.line,
      ),
      random,
    );
    const renumber = 'update journal_entries set link = $4 where environment_id = $1 and link = $2 and line = $3';
    await tx.query(renumber, [...keyOf(one), -1]);
    await tx.query(renumber, [...keyOf(other), one.link]);
    await tx.query(renumber, [one.environment_id, -1, one.line, other.link]);
    return touched(one, other);
  },
  insertion: async (tx, entries, random) => {
    const entry = pick(entries, random);
    const place = pick(
      [
        { link: entry.link, line: 2 },
        { link: LINKS + 1, line: 0 },
        { link: LINKS + 1 + Math.floor(random() * 1e9), line: 0 },
        { link: 0, line: 0 },
        { link: -Math.floor(random() * 1e9), line: 0 },
      ],
      random,
    );
    await tx.insertRows({ name: 'journal_entries', columns: Object.keys(entry) }, [{ ...entry, ...place }]);
    return { environment: entry.environment_id, links: [place.link] };
  },
  'move to the other books': async (tx, entries, random) => {
    const entry = pick(entries, random);
    const other = entries.find(({ environment_id }) => environment_id !== entry.environment_id) as JournalEntry;
    await tx.query(`update journal_entries set environment_id = $4, line = 2 where ${KEY}`, [
      ...keyOf(entry),
      other.environment_id,
    ]);
    return touched(entry);
  },
  'cut tail': async (tx, entries, random) => {
    const entry = pick(entries, random);
    const environment = { id: entry.environment_id };
    await cut(tx, environment, entry.link);
    await moveHead(tx, environment, entry.link - 1);
    return touched(entry);
  },
};

const KEY = 'environment_id = $1 and link = $2 and line = $3';

function keyOf(entry: JournalEntry): [number, number, number] {
  return [entry.environment_id, entry.link, entry.line];
}

function touched(...entries: JournalEntry[]): Touched {
  return { environment: entries[0]?.environment_id as number, links: entries.map(({ link }) => link) };
}

/**
 * Asserts that the first named link is the first changed one. Its neighbour may be named too, because it holds the
 * hash.
 */
function assertLocated(problems: readonly BooksProblem[], { environment, links }: Touched, what: string): void {
  const found = problems.filter(({ environment_id }) => environment_id === environment);
  const first = Math.min(...found.map(({ link }) => link));
  assert.equal(first, Math.min(...links), `${what}: ${JSON.stringify(problems)}`);
  for (const link of links) {
    const named = found.some((one) => one.link <= link && link <= one.until);
    assert.ok(named, `${what}: link ${link} is not in ${JSON.stringify(problems)}`);
  }
}

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const environments = [await createTestEnvironment(app), await createTestEnvironment(app)] as const;
  for (const environment of environments) {
    await setTestFee(app, environment);
    for (let link = 1; link <= LINKS; link++) {
      app.now.advance(1000);
      if (link % (LINKS / MOVEMENTS) === 0) await payOut(app, environment, link);
      else await createPaidTransaction(app, environment, { amount: 6000 + link });
    }
  }
  const heads: ExportedHead[] = await selectHeads(app.db);
  return { app, environment: environments[0], other: environments[1], heads };
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function problem({ id }: ServiceEnvironment, what: BooksProblem['problem'], link: number, until = link): BooksProblem {
  return { environment_id: id, link, until, problem: what };
}

/** Edits a link and replaces its hash by the right one for the new content. */
async function forge(tx: Tx, { id }: ServiceEnvironment, link: number, assignment: string): Promise<void> {
  await tx.query(`update journal_entries set ${assignment} where environment_id = $1 and link = $2`, [id, link]);
  const rows = await tx.query<JournalEntry>(
    'select * from journal_entries where environment_id = $1 and link between $2 and $3 order by link, line',
    [id, link - 1, link],
  );
  const forged = rows.filter((row) => row.link === link);
  const hash = linkHash(rows[0]?.hash as string, forged);
  await tx.query('update journal_entries set hash = $3 where environment_id = $1 and link = $2', [id, link, hash]);
}

async function cut(tx: Tx, { id }: { id: number }, from: number): Promise<void> {
  await tx.query('delete from journal_entries where environment_id = $1 and link >= $2', [id, from]);
}

async function moveHead(tx: Tx, { id }: { id: number }, link: number): Promise<void> {
  await tx.query(
    `update journal_heads set link = $2, hash = coalesce(
       (select hash from journal_entries where environment_id = $1 and link = $2 and line = 0), '') where environment_id = $1`,
    [id, link],
  );
}
