import type { Database, Tx } from './database.ts';

/**
 * Runs `work` in a transaction, rolls it back and returns the result. So the preview of an act is the act itself, and
 * cannot differ from it. `work` changes nothing but the database. Rejects with `StorageError`, or with the error of
 * `work`.
 */
export async function rehearse<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  let result: { of: Result } | undefined;
  const over = new Error('The rehearsal is over');
  try {
    await db.transaction(async (tx) => {
      result = { of: await work(tx) };
      throw over;
    });
  } catch (error) {
    if (error !== over) throw error;
  }
  if (result === undefined) throw new Error('A rehearsal without a result');
  return result.of;
}
