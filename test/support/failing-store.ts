import type { Database, Tx } from '../../src/db/database.ts';
import type { TestApp } from './test-app.ts';

class Killed extends Error {}

/**
 * Returns a store that fails at one point: before a statement of a transaction, or after a commit without an answer.
 * `points` counts the points. `raise` makes the error; by default the process dies.
 */
export function failingStore(db: Database) {
  const faults = { at: 0, points: 0, raise: (): Error => new Killed() };
  const pass = () => {
    faults.points++;
    if (faults.points === faults.at) throw faults.raise();
  };
  const failing: Database = {
    ...db,
    transaction: async <Result>(run: (tx: Tx) => Promise<Result>, statements?: 'slow') => {
      const result = await db.transaction((tx) => run(passing(tx, pass)), statements);
      pass();
      return result;
    },
  };
  return { failing, faults };
}

function passing(tx: Tx, pass: () => void): Tx {
  return {
    query: async (sql, values) => {
      pass();
      return tx.query(sql, values);
    },
    insertRows: async (target, rows, suffix) => {
      pass();
      return tx.insertRows(target, rows, suffix);
    },
    insertNewRows: async (insert, rows) => {
      pass();
      return tx.insertNewRows(insert, rows);
    },
  };
}

/** Runs the work in a process that may die, and again in another process if it did. */
export async function despite<Result>(
  { dying, app }: { dying: TestApp; app: TestApp },
  run: (app: TestApp) => Promise<Result>,
): Promise<Result> {
  try {
    return await run(dying);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return run(app);
  }
}
