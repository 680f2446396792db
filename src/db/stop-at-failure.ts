import type { Tx } from './database.ts';

/**
 * A failed statement ends its transaction, also where `work` has caught the error: the next statement is refused with it, and so is
 * the end. PostgreSQL does so by itself, but answers the commit without an error. SQLite would go on, or commit each statement alone.
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
