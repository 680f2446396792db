import type { Tx } from './database.ts';

/**
 * Makes a failed statement end its transaction, even if `work` catches the error: every later statement and the commit
 * are refused with it. PostgreSQL also does so, but its commit returns no error. SQLite would continue and commit the
 * other statements.
 */
export async function stopAtFailure<Result>(tx: Tx, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let failure: { error: unknown } | undefined;
  const watch = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (failure !== undefined) throw failure.error;
    try {
      return await ask();
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };
  const result = await work({
    query: (sql, parameters) => watch(() => tx.query(sql, parameters)),
    insertRows: (table, rows, suffix) => watch(() => tx.insertRows(table, rows, suffix)),
    insertNewRows: (insert, rows) => watch(() => tx.insertNewRows(insert, rows)),
  });
  if (failure !== undefined) throw failure.error;
  return result;
}
