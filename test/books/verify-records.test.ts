import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import type { JournalEntry } from '../../src/books/journal-entry.ts';
import { linkHash } from '../../src/books/link-hash.ts';
import { MOVEMENT_COLUMNS, type MovementColumn } from '../../src/books/movement-hash.ts';
import { type BooksVerification, verifyBooks } from '../../src/books/verify-books.ts';
import type { SqlRow, SqlValue, Tx } from '../../src/db/database.ts';
import { GENESIS } from '../../src/lib/hash-chain.ts';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { returnPayout } from '../../src/movements/return-movement.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { importPlanted } from '../faults/plants.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import {
  createLatePayment,
  createPaidTransaction,
  readingThrough,
  removeGuards,
  undone,
} from '../support/test-books.ts';
import { deposit, payOut, setTestFee } from '../support/test-movements.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('records behind the books', (openTestDatabase, engine) => {
  test('hundreds of random tamperings with movements, refunds and payments are found and name the tampered record', async () => {
    const { app } = await open(openTestDatabase);
    // Another seed on each engine. Every kind occurs several times.
    await tamper(app, { names: Object.keys(TAMPERINGS), rounds: 300, seed: engine === 'sqlite' ? 20260115 : 20260116 });
    assert.deepEqual((await verifyBooks(app)).records, []);
  });

  test('the chain covers each column of a movement', async () => {
    const { app, world } = await open(openTestDatabase);
    const random = createSeededRandom(1);
    for (const movement of world.movements) {
      for (const column of MOVEMENT_COLUMNS) {
        const found = await undone(app, async (tx) => {
          await openDoors(app, tx);
          await edit(tx, 'movements', movement, column, otherValue(world, movement, column, random));
          return verifyBooks(readingThrough(app, tx));
        });
        assertNamed(found, { table: 'movements', ids: [movement.id as string] }, `${movement.kind}: ${column}`);
      }
    }
  });

  test('planted weakness: without hashes of movements a change of their text is not found', async () => {
    const { app } = await open(openTestDatabase);
    await forgetMovementHashes(app);
    const { problems, records } = await verifyBooks(app);
    assert.deepEqual([problems, records], [[], []], 'a link without a hash of its movement is valid');
    await assert.rejects(
      tamper(app, { names: ['edit of a movement'], rounds: 200 }),
      /edit of a movement.*is not named/,
    );
  });

  test('planted weakness: a verification that ignores the amounts of refunds misses a tampered refund', async () => {
    const { app } = await open(openTestDatabase);
    const planted = await importPlanted('src/books/verify-books.ts', 'refunds of any amount are explained');
    const { verifyBooks: verify } = planted as { verifyBooks: typeof verifyBooks };
    await assert.rejects(
      tamper(app, { names: ['edit of a refund'], rounds: 200, verify }),
      /edit of a refund.*is not named/,
    );
  });
});

type Table = 'movements' | 'refunds' | 'transactions';
type Touched = { table: Table; ids: (string | number)[] };
type World = Record<Table, SqlRow[]> & { environmentIds: number[] };

/** Makes one change and returns the rows that it affects. */
type Tampering = (tx: Tx, world: World, random: () => number) => Promise<Touched>;

const TAMPERINGS: Record<string, Tampering> = {
  'edit of a movement': async (tx, world, random) => {
    const movement = pick(world.movements, random);
    const column = pick(MOVEMENT_COLUMNS, random);
    return edit(tx, 'movements', movement, column, otherValue(world, movement, column, random));
  },
  'edit of a refund': (tx, world, random) => {
    const refund = pick(completed(world.refunds), random);
    const unrefunded = completed(world.transactions).filter(
      ({ id }) => !world.refunds.some(({ transaction_id }) => transaction_id === id),
    );
    const [column, value] = pick<[string, SqlValue]>(
      [
        ['amount', more(refund.amount, random)],
        ['state', pick(['processing', 'failed'], random)],
        ['settled_at', pick([null, more(refund.settled_at, random)], random)],
        ['transaction_id', pick(unrefunded, random).id as number],
        ['id', 'rf_another'],
      ],
      random,
    );
    return edit(tx, 'refunds', refund, column, value);
  },
  'edit of a payment': (tx, world, random) => {
    const payment = pick(completed(world.transactions), random);
    const [column, value] = pick<[string, SqlValue]>(
      [
        ['amount', more(payment.amount, random)],
        ['fee', more(payment.fee, random)],
        ['currency', 'USD'],
        ['state', pick(['pending', 'failed', 'cancelled', 'expired'], random)],
        ['payment_method', pick([null, 'webpay'], random)],
        ['settled_at', pick([null, more(payment.settled_at, random)], random)],
        ['environment_id', pick(others(world.environmentIds, payment.environment_id), random)],
        ['id', 7],
      ],
      random,
    );
    return edit(tx, 'transactions', payment, column, value);
  },
  'edit of a late payment': (tx, world, random) => {
    const payment = pick(
      world.transactions.filter(({ state }) => state === 'failed'),
      random,
    );
    const [column, value] = pick<[string, SqlValue]>(
      [
        ['amount', more(payment.amount, random)],
        ['currency', 'USD'],
        ['environment_id', pick(others(world.environmentIds, payment.environment_id), random)],
        ['id', 7],
      ],
      random,
    );
    return edit(tx, 'transactions', payment, column, value);
  },
  'end that never was': (tx, world, random) => {
    const table = pick<Table>(['refunds', 'transactions'], random);
    const open = pick(
      world[table].filter(({ state }) => state !== 'completed'),
      random,
    );
    return edit(tx, table, open, 'state', 'completed');
  },
  deletion: async (tx, world, random) => {
    const [table, row] = pickAny(world, random);
    await tx.query(`delete from ${table} where id = $1`, [row.id as SqlValue]);
    return { table, ids: [row.id as string] };
  },
  insertion: async (tx, world, random) => {
    const [table, row] = pickAny(world, random);
    const id = table === 'transactions' ? 1_000_000 + Math.floor(random() * 1e6) : 'xx_inserted';
    const apart = { reference: 'INSERTED', sequence: 99, idempotency_key: null };
    const changes = Object.entries(apart).filter(([column]) => column in row);
    await insert(tx, table, { ...row, id, ...Object.fromEntries(changes) });
    return { table, ids: [id] };
  },
  swap: async (tx, world, random) => {
    const [table, one] = pickAny(world, random);
    const rows = table === 'movements' ? world.movements : completed(world[table]);
    const other = pick(
      rows.filter(({ id }) => id !== one.id),
      random,
    );
    await tx.query(`delete from ${table} where id in ($1, $2)`, [one.id as SqlValue, other.id as SqlValue]);
    await insert(tx, table, { ...one, id: other.id as SqlValue });
    await insert(tx, table, { ...other, id: one.id as SqlValue });
    return { table, ids: [one.id as string, other.id as string] };
  },
};

type Trial = {
  names: readonly string[];
  rounds: number;
  seed?: number;
  verify?: (app: App) => Promise<BooksVerification>;
};

/** Makes one change of the books after the other and undoes each. Rejects if the verification does not find one. */
async function tamper(app: TestApp, { names, rounds, seed = 20260116, verify = verifyBooks }: Trial): Promise<void> {
  const random = createSeededRandom(seed);
  const world = await readWorld(app);
  for (let round = 0; round < rounds; round++) {
    const name = names[round % names.length] as string;
    await undone(app, async (tx) => {
      await openDoors(app, tx);
      const touched = await (TAMPERINGS[name] as Tampering)(tx, world, random);
      assertNamed(await verify(readingThrough(app, tx)), touched, `round ${round}: ${name}`);
    });
  }
}

const KEYS = { movements: 'movement_id', refunds: 'refund_id', transactions: 'transaction_id' } as const;

/** Asserts that the chain is intact, and that only changed rows and their dependent rows are named. */
function assertNamed({ problems, records }: BooksVerification, { table, ids }: Touched, what: string): void {
  assert.deepEqual(problems, [], what);
  const named = records.map((record) => record[KEYS[table]]);
  for (const id of ids)
    assert.ok((named as unknown[]).includes(id), `${what}: ${id} is not named in ${JSON.stringify(records)}`);
  // An entry has the id of its transaction as well as the id of its refund or movement.
  if (table !== 'transactions') {
    const apart = named.filter((id) => !ids.includes(id as never) && id !== 'rf_another' && id !== 'mv_another');
    assert.deepEqual(apart, [], what);
  }
}

async function edit(tx: Tx, table: Table, row: SqlRow, column: string, value: SqlValue): Promise<Touched> {
  await tx.query(`update ${table} set ${column} = $2 where id = $1`, [row.id as SqlValue, value]);
  return { table, ids: [row.id as string] };
}

async function insert(tx: Tx, table: Table, row: SqlRow): Promise<void> {
  await tx.insertRows({ name: table, columns: Object.keys(row) }, [row]);
}

/** Returns another value of the column that the schema allows. */
function otherValue(world: World, movement: SqlRow, column: MovementColumn, random: () => number): SqlValue {
  const value = movement[column] as SqlValue;
  const allowed: Partial<Record<MovementColumn, SqlValue[]>> = {
    id: ['mv_another'],
    environment_id: world.environmentIds,
    kind: ['payout', 'deposit', 'resolution'],
    decision: [null, 'kept', 'returned'],
    transaction_id: world.transactions.map(({ id }) => id as number),
    payment_method: [null, `${value}.`],
    reason: [null, `${value}.`],
  };
  return pick(
    others(allowed[column] ?? [typeof value === 'number' ? more(value, random) : `${value}.`], value),
    random,
  );
}

function pickAny(world: World, random: () => number): [Table, SqlRow] {
  const table = pick<Table>(['movements', 'refunds', 'transactions'], random);
  return [table, pick(table === 'movements' ? world.movements : completed(world[table]), random)];
}

function completed(rows: readonly SqlRow[]): SqlRow[] {
  return rows.filter(({ state }) => state === 'completed');
}

function others<Value>(values: readonly Value[], value: unknown): Value[] {
  return values.filter((one) => one !== value);
}

function more(value: SqlValue | undefined, random: () => number): number {
  return (value as number) + 1 + Math.floor(random() * 1e6);
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Opens two environments with every kind of record of finance, each with another amount. */
async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const environments = [await createTestEnvironment(app), await createTestEnvironment(app)] as const;
  // So that the resolutions of the two are not at the same places.
  for (const amount of [50_001, 50_002]) await createPaidTransaction(app, environments[1], { amount });
  for (const [index, environment] of environments.entries()) {
    await setTestFee(app, environment);
    await trade(app, environment, 20_000 * index);
  }
  await removeGuards(app.db);
  return { app, world: await readWorld(app) };
}

async function trade(app: TestApp, environment: ServiceEnvironment, more: number): Promise<void> {
  const pass = () => app.now.advance(1000);
  pass();
  const paid = await createPaidTransaction(app, environment, { amount: 10_000 + more });
  pass();
  await createPaidTransaction(app, environment, { amount: 11_000 + more });
  await acceptedRefund(app, paid, 1000 + more);
  await carryOutRefunds(app, 10);
  pass();
  const kept = await createLatePayment(app, environment);
  const returned = await createLatePayment(app, environment);
  pass();
  await resolveSuspense(app, kept.id, { decision: 'kept', reason: 'the shop delivers', by: TESTER });
  await resolveSuspense(app, returned.id, { decision: 'returned', reason: 'annulled in the portal', by: TESTER });
  await createLatePayment(app, environment);
  pass();
  await deposit(app, environment, 2000 + more, { commission: 30 });
  await payOut(app, environment, 3000 + more);
  const reference = `TEF-${more}`;
  await payOut(app, environment, 1500 + more, { reference });
  await returnPayout(app, environment, { reference, reason: 'wrong account', by: TESTER });
  await acceptedRefund(app, paid, 50);
}

async function readWorld({ db }: TestApp): Promise<World> {
  const rows = async (table: string) =>
    (await db.query(`select * from ${table} order by id`)).map((row) => ({ ...row }));
  const environments = await rows('environments');
  return {
    movements: await rows('movements'),
    refunds: await rows('refunds'),
    transactions: await rows('transactions'),
    environmentIds: environments.map(({ id }) => id as number),
  };
}

/** Removes foreign keys and triggers, as somebody who may change the schema can. */
async function openDoors({ db }: TestApp, tx: Tx): Promise<void> {
  const sqlite = 'pragma defer_foreign_keys = on';
  await tx.query(db.engine === 'sqlite' ? sqlite : 'set local session_replication_role = replica');
}

/** Rewrites the chains without hashes of movements, as an older version did. */
async function forgetMovementHashes({ db }: TestApp): Promise<void> {
  await db.transaction(async (tx) => {
    const entries = await tx.query<JournalEntry>('select * from journal_entries order by environment_id, link, line');
    const heads = new Map<number, string>();
    for (const link of Map.groupBy(entries, (entry) => `${entry.environment_id} ${entry.link}`).values()) {
      const { environment_id, link: number } = link[0] as JournalEntry;
      const older = link.map((entry) => ({ ...entry, movement_hash: null }));
      const hash = linkHash(heads.get(environment_id) ?? GENESIS, older);
      heads.set(environment_id, hash);
      await tx.query(
        'update journal_entries set movement_hash = null, hash = $3 where environment_id = $1 and link = $2',
        [environment_id, number, hash],
      );
    }
    for (const [id, hash] of heads) {
      await tx.query('update journal_heads set hash = $2 where environment_id = $1', [id, hash]);
    }
  });
}
