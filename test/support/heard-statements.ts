import type { SqlParameter, Tx } from '../../src/db/database.ts';
import { translateSql } from '../../src/db/dialect.ts';
import type { TestApp } from './test-app.ts';

export type HeardStatement = { sql: string; parameters: readonly SqlParameter[] };

/**
 * Returns the app with a record of its statements, without row inserts. `all`: every statement in order, added when it
 * runs. `heard`: each text once with its first parameters, computed when read.
 */
export function listenToStatements(app: TestApp): {
  app: TestApp;
  readonly heard: HeardStatement[];
  all: HeardStatement[];
} {
  const all: HeardStatement[] = [];
  const hear = <Asker extends Pick<Tx, 'query'>>(asker: Asker): Asker => ({
    ...asker,
    query: (sql: string, parameters: readonly SqlParameter[] = []) => {
      all.push({ sql, parameters });
      return asker.query(sql, parameters);
    },
  });
  const db = {
    ...hear(app.db),
    transaction: (inner: never, kind: never) =>
      app.db.transaction((tx) => (inner as (tx: Tx) => never)(hear(tx)), kind),
  };
  return {
    app: { ...app, db } as TestApp,
    all,
    get heard() {
      return [...Map.groupBy(all, ({ sql }) => sql).values()].flatMap(([first]) => first ?? []);
    },
  };
}

/** Returns the engine's query plan, one line per string; with `asJson`, PostgreSQL's plan in JSON. */
export async function explain(app: TestApp, { sql, parameters }: HeardStatement, asJson = false): Promise<string[]> {
  const { engine } = app.db;
  const word = engine === 'sqlite' ? 'explain query plan' : asJson ? 'explain (format json)' : 'explain';
  const rows = await app.db.transaction((tx) => tx.query(`${word} ${translateSql(engine, sql)}`, parameters));
  return rows.map((row) => {
    const plan: unknown = row['detail'] ?? row['QUERY PLAN'];
    return typeof plan === 'string' ? plan : JSON.stringify(plan);
  });
}
