import type { Database, Tx } from './database.ts';

/**
 * Runs `work` in a transaction and returns its result. Rolls the transaction back unless `isKept` accepts the result.
 * `work` changes nothing but the database. Rejects with `StorageError`, or with the error of `work`.
 */
export async function keepIf<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Tx) => Promise<Result>,
  isKept: (result: Result) => boolean,
): Promise<Result> {
  let done: { result: Result } | undefined;
  const undo = new Error('The transaction is rolled back');
  try {
    await db.transaction(async (tx) => {
      done = { result: await work(tx) };
      if (!isKept(done.result)) throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  if (done === undefined) throw new Error('A transaction without a result');
  return done.result;
}

/** Runs `work` as `keepIf` does, and always rolls it back. So the preview of an act is the act itself. */
export function rehearse<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return keepIf(db, work, () => false);
}
