import type { Reader, SqlRow, Tx } from '../db/database.ts';
import { listsOf, type RowKey } from '../db/row-key.ts';
import type { CallbackState } from './callback-state.ts';

/**
 * A callback or a delivery attempt, with the state and the end of the callback. `at`: when the row was made, UTC
 * milliseconds.
 */
export type AgedRow = SqlRow & RowKey<number> & { at: number; state: CallbackState; finished_at: number | null };

/** Returns the next callbacks by id. */
export function selectCallbacksAfter(db: Reader, afterId: number, limit: number): Promise<AgedRow[]> {
  return db.query<AgedRow>(
    'select id, environment_id, created_at as at, state, finished_at from callbacks where id > $1 order by id limit $2',
    [afterId, limit],
  );
}

/** Returns the next delivery attempts by id. */
export function selectAttemptsAfter(db: Reader, afterId: number, limit: number): Promise<AgedRow[]> {
  return db.query<AgedRow>(
    `select a.id, a.environment_id, a.started_at as at, c.state, c.finished_at from
       (select id, environment_id, callback_id, started_at from delivery_attempts where id > $1 order by id limit $2) as a
     join callbacks c on c.id = a.callback_id and c.environment_id = a.environment_id
     order by a.id`,
    [afterId, limit],
  );
}

/** Deletes the ended ones of these callbacks, with their delivery attempts. */
export async function deleteCallbacks(tx: Tx, callbacks: readonly RowKey<number>[]): Promise<void> {
  // A person may be sending one of them again: this waits, and then sees that it is queued.
  const ended = await tx.query<SqlRow & RowKey<number>>(
    `select id, environment_id from callbacks where id {among $1} and environment_id {among $2} and state <> 'queued'
     order by id {for_update}`,
    listsOf(callbacks),
  );
  const keys = listsOf(ended);
  await tx.query('delete from delivery_attempts where callback_id {among $1} and environment_id {among $2}', keys);
  await tx.query('delete from callbacks where id {among $1} and environment_id {among $2}', keys);
}

export async function deleteAttempts(tx: Tx, attempts: readonly RowKey<number>[]): Promise<void> {
  const among = 'id {among $1} and environment_id {among $2}';
  await tx.query(`delete from delivery_attempts where ${among}`, listsOf(attempts));
}
