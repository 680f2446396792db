import type { Database, SqlParameter, SqlRow, Tx } from '../../src/db/database.ts';
import type { TestApp } from './test-app.ts';

/** Returns the app with a `hear` that runs before each statement of a transaction. */
export function onQuery(app: TestApp, hear: (sql: string) => Promise<void>): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction((tx) => {
      const query: Tx['query'] = async (sql, parameters) => {
        await hear(sql);
        return tx.query(sql, parameters);
      };
      return work({ ...tx, query });
    }, kind);
  return { ...app, db: { ...app.db, transaction } };
}

/**
 * Returns the app with a `change` in each transaction after each statement that matches: to the transaction it looks
 * as if another process had committed the change while the statement waited.
 */
export function afterQuery(app: TestApp, pattern: RegExp, change: (tx: Tx) => Promise<unknown>): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction((tx) => {
      const query: Tx['query'] = async <Row extends SqlRow>(sql: string, parameters?: readonly SqlParameter[]) => {
        const rows = await tx.query<Row>(sql, parameters);
        if (pattern.test(sql)) await change(tx);
        return rows;
      };
      return work({ ...tx, query });
    }, kind);
  return { ...app, db: { ...app.db, transaction } };
}
