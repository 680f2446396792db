import {
  type Database,
  type InsertTarget,
  type InsertWithFollowers,
  type SqlRow,
  type SqlValue,
  StorageError,
  type Tx,
} from '../../../src/db/database.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { Life } from './life.ts';
import type { World } from './world.ts';

/** A crash inside a transaction: all its writes are rolled back, and no caller is left to receive an error. */
class Crashed extends Error {}

/** A serialization failure: the PostgreSQL adapter retries the work. */
class Serialization extends Error {}

export type FencedOptions = {
  world: World;
  /** The one store that all workers share. */
  store: Database;
  plan: () => FaultPlan;
  /** The planted bug: the outbox row is written in a separate commit. */
  outboxApart: boolean;
};

/**
 * Wraps the database as one process sees it: some milliseconds away, and with every fault on the way. One call is one
 * moment of the world, so transactions never interleave; crashes come before, inside and after a call.
 */
export function createFencedDatabase(options: FencedOptions, life: Life): Database {
  const { world, store, plan, outboxApart } = options;

  /** Delays a call on its way to the store and its response on the way back. */
  function travel<Result>(perform: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const back = (settle: () => void) => world.after(world.between(1, 5), () => life.arrive(settle));
      world.after(world.between(1, 5), () => {
        if (!life.alive()) return;
        if (life.partitioned()) return back(() => reject(unavailable()));
        perform().then(
          (result) => back(() => resolve(result)),
          (error: Error) => {
            if (!(error instanceof Crashed)) back(() => reject(error));
          },
        );
      });
    });
  }

  async function transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const fault = drawFault(world, plan());
    if (fault === 'none') return outboxApart ? withOutboxApart(work) : store.transaction(work);
    life.trouble('database');
    world.note(`${life.name} ${fault}`);
    if (fault === 'is refused') throw unavailable();
    if (fault === 'never commits') throw new StorageError('OUTCOME_UNKNOWN', null);
    if (fault === 'crashes inside') return store.transaction(crashing(work)).catch(endOfLife);
    if (fault === 'begins anew') await store.transaction(failing(work)).catch(mustBe(Serialization));
    const result = await store.transaction(work);
    if (fault === 'crashes after') endOfLife();
    if (fault === 'hears nothing') throw new StorageError('OUTCOME_UNKNOWN', null);
    return result;
  }

  function endOfLife(): never {
    life.crash('in a transaction');
    throw new Crashed();
  }

  /** Lets the process die before one of the first five statements, or before the commit. */
  function crashing<Result>(work: (tx: Tx) => Promise<Result>): (tx: Tx) => Promise<Result> {
    let left = world.between(0, 4);
    const step = <Result>(run: () => Promise<Result>) => {
      if (left-- === 0) throw new Crashed();
      return run();
    };
    return async (tx) => {
      await work({
        query: async <Row extends SqlRow>(sql: string, parameters?: readonly SqlValue[]) =>
          step(() => tx.query<Row>(sql, parameters)),
        insertRows: async <Row extends SqlRow>(table: InsertTarget, rows: readonly SqlRow[], suffix?: string) =>
          step(() => tx.insertRows<Row>(table, rows, suffix)),
        insertNewRows: async <Row extends SqlRow>(insert: InsertWithFollowers, rows: readonly SqlRow[]) =>
          step(() => tx.insertNewRows<Row>(insert, rows)),
      });
      throw new Crashed();
    };
  }

  async function withOutboxApart<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
    const later: [InsertTarget, readonly SqlRow[]][] = [];
    const result = await store.transaction((tx) => {
      const insertRows: Tx['insertRows'] = async (table, rows, suffix) => {
        if (table.name !== 'callbacks') return tx.insertRows(table, rows, suffix);
        later.push([table, rows]);
        return [];
      };
      return work({ ...tx, insertRows });
    });
    if (later.length > 0 && world.chance(0.1)) endOfLife();
    for (const [table, rows] of later) await store.transaction((tx) => tx.insertRows(table, rows));
    return result;
  }

  return {
    engine: store.engine,
    query: (sql, parameters) => travel(() => store.query(sql, parameters)),
    transaction: (work) => travel(() => transaction(work)),
    backup: (file) => store.backup(file),
    forgetDeleted: () => store.forgetDeleted(),
    close: () => store.close(),
  };
}

const FAULTS = [
  'is refused',
  'never commits',
  'crashes inside',
  'begins anew',
  'crashes after',
  'hears nothing',
] as const;

function drawFault(world: World, plan: FaultPlan): (typeof FAULTS)[number] | 'none' {
  return world.chance(plan.databaseFault) ? world.pick(FAULTS) : 'none';
}

function unavailable(): StorageError {
  return new StorageError('STORAGE_UNAVAILABLE', null);
}

function failing<Result>(work: (tx: Tx) => Promise<Result>): (tx: Tx) => Promise<Result> {
  return async (tx) => {
    await work(tx);
    throw new Serialization();
  };
}

function mustBe(kind: typeof Serialization): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof kind)) throw error;
  };
}
