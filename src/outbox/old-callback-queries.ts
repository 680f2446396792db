import type { Reader, SqlRow, Tx } from '../db/database.ts';
import { listsOf } from '../db/row-key.ts';

export type CallbackKey = SqlRow & { id: number; environment_id: number };

/** The rows to skip: by times in UTC milliseconds and by ids of environments. */
type Left = { givenUpBefore: number; elsewhere: readonly number[]; arriving: readonly number[] };

/** Ids grow with time, so expired rows are among the first. */
const LOOKED_AT = 1000;

/**
 * Returns the first callbacks that ended before a time, at most `limit`. Skips those that wait for an attempt, and
 * those given up or disabled after `givenUpBefore`, which a person still sees. In the `elsewhere` environments
 * callbacks wait for ever, so waiting ones are not read. Skips the `arriving` environments, because they are compared
 * with their source.
 */
export function selectOldCallbacks(
  db: Reader,
  { endedBefore, givenUpBefore, elsewhere, arriving }: { endedBefore: number } & Left,
  limit: number,
): Promise<CallbackKey[]> {
  return db.query<CallbackKey>(
    `select id, environment_id from
       (select id, environment_id, state, finished_at from callbacks
        where not (environment_id {among $4} and state = 'queued') and not (environment_id {among $5}) order by id limit ${LOOKED_AT}) as first
     where state <> 'queued' and finished_at < $1 and (finished_at < $2 or state not in ('dead', 'disabled'))
     order by id limit $3`,
    [endedBefore, givenUpBefore, limit, elsewhere, arriving],
  );
}

/** Deletes the ended ones of these callbacks, with their delivery attempts. */
export async function deleteCallbacks(tx: Tx, callbacks: readonly CallbackKey[]): Promise<void> {
  // A person may be sending one of them again: this waits, and then sees that it is queued.
  const ended = await tx.query<CallbackKey>(
    `select id, environment_id from callbacks where id {among $1} and environment_id {among $2} and state <> 'queued'
     order by id {for_update}`,
    listsOf(callbacks),
  );
  const keys = listsOf(ended);
  await tx.query('delete from delivery_attempts where callback_id {among $1} and environment_id {among $2}', keys);
  await tx.query('delete from callbacks where id {among $1} and environment_id {among $2}', keys);
}

/** Returns delivery attempts that began before a time, by the same rules. */
export function selectOldAttempts(
  db: Reader,
  { startedBefore, givenUpBefore, elsewhere, arriving }: { startedBefore: number } & Left,
  limit: number,
): Promise<CallbackKey[]> {
  return db.query<CallbackKey>(
    `select a.id, a.environment_id from
       (select id, environment_id, callback_id, started_at from delivery_attempts
        where not (environment_id {among $4} and callback_id in
          (select id from callbacks where environment_id {among $4} and state = 'queued'))
          and not (environment_id {among $5})
        order by id limit ${LOOKED_AT}) as a
     join callbacks c on c.id = a.callback_id and c.environment_id = a.environment_id
     where a.started_at < $1 and c.state <> 'queued' and (c.finished_at < $2 or c.state not in ('dead', 'disabled'))
     order by a.id limit $3`,
    [startedBefore, givenUpBefore, limit, elsewhere, arriving],
  );
}

export async function deleteAttempts(tx: Tx, attempts: readonly CallbackKey[]): Promise<void> {
  const among = 'id {among $1} and environment_id {among $2}';
  await tx.query(`delete from delivery_attempts where ${among}`, listsOf(attempts));
}
