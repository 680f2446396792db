import type { Database, Tx } from './database.ts';

/**
 * Runs `work` in a transaction. Commits if its effect is `expected`, or `expected` is undefined; otherwise rolls back
 * (`isKept` is false). `work` changes nothing but the database. Rejects with `StorageError`, or with the error of
 * `work`.
 */
export function commitIfExpected<Result extends { effect: string }>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Tx) => Promise<Result>,
  expected: string | undefined,
): Promise<{ result: Result; isKept: boolean }> {
  return keepIf(db, work, ({ effect }) => expected === undefined || expected === effect);
}

/** Runs `work` in the same way, and always rolls it back. So the preview of an act is the act itself. */
export async function rehearse<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return (await keepIf(db, work, () => false)).result;
}

/** Runs `work` in a transaction, and commits if its result is wanted; otherwise rolls back (`isKept` is false). */
export async function keepIf<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Tx) => Promise<Result>,
  isWanted: (result: Result) => boolean,
): Promise<{ result: Result; isKept: boolean }> {
  let done: { result: Result; isKept: boolean } | undefined;
  const undo = new Error('The transaction is rolled back');
  try {
    await db.transaction(async (tx) => {
      const result = await work(tx);
      done = { result, isKept: isWanted(result) };
      if (!done.isKept) throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  if (done === undefined) throw new Error('A transaction without a result');
  return done;
}
