import type { Database, Tx } from '../../src/db/database.ts';
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
