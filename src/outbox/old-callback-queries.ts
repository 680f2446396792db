import type { Database, SqlRow, Tx } from '../db/database.ts';

type Reader = Pick<Database, 'query'>;

export type CallbackKey = SqlRow & { id: number; environment_id: number };

/** Rows are made in the order of their ids, so what is past its time stands among the first. */
const LOOKED_AT = 1000;

/**
 * The first callbacks that ended before a time, at most `limit`. Left out is what waits for its next attempt, and what was
 * given up after `givenUpBefore`: a person is still asked about it.
 */
export function selectOldCallbacks(
  db: Reader,
  times: { endedBefore: number; givenUpBefore: number },
  limit: number,
): Promise<CallbackKey[]> {
  return db.query<CallbackKey>(
    `select id, environment_id from
       (select id, environment_id, state, finished_at from callbacks order by id limit ${LOOKED_AT}) as first
     where state <> 'queued' and finished_at < $1 and (finished_at < $2 or state not in ('dead', 'disabled'))
     order by id limit $3`,
    [times.endedBefore, times.givenUpBefore, limit],
  );
}

/** Deletes a callback that has its end, with its delivery attempts. Answers whether it was there. */
export async function deleteCallback(tx: Tx, { id, environment_id }: CallbackKey): Promise<boolean> {
  const ended = "select id from callbacks where id = $1 and environment_id = $2 and state <> 'queued'";
  const key = [id, environment_id];
  await tx.query(`delete from delivery_attempts where callback_id in (${ended}) and environment_id = $2`, key);
  const rows = await tx.query(`delete from callbacks where id in (${ended}) and environment_id = $2 returning id`, key);
  return rows.length === 1;
}

/** The same of delivery attempts that began before a time. */
export function selectOldAttempts(
  db: Reader,
  times: { startedBefore: number; givenUpBefore: number },
  limit: number,
): Promise<CallbackKey[]> {
  return db.query<CallbackKey>(
    `select a.id, a.environment_id from
       (select id, environment_id, callback_id, started_at from delivery_attempts order by id limit ${LOOKED_AT}) as a
     join callbacks c on c.id = a.callback_id and c.environment_id = a.environment_id
     where a.started_at < $1 and c.state <> 'queued' and (c.finished_at < $2 or c.state not in ('dead', 'disabled'))
     order by a.id limit $3`,
    [times.startedBefore, times.givenUpBefore, limit],
  );
}

export async function deleteAttempt(tx: Tx, { id, environment_id }: CallbackKey): Promise<void> {
  await tx.query('delete from delivery_attempts where id = $1 and environment_id = $2', [id, environment_id]);
}
