import type { Database, SqlRow } from '../../db/database.ts';

/**
 * The oldest transaction that has written, in any database of the server. `pid` null: a prepared transaction, which has
 * no process. `age_ms` null: this role may not see it.
 */
export type FeedHoldRow = SqlRow & {
  pid: number | null;
  application: string | null;
  database: string | null;
  age_ms: number | null;
};

/** Returns that transaction. PostgreSQL only. */
export async function selectFeedHold(db: Database): Promise<FeedHoldRow | undefined> {
  const [row] = await db.query<FeedHoldRow>(
    `select pid, application, database, (extract(epoch from clock_timestamp() - began) * 1000)::bigint as age_ms
     from (
       select pid, application_name as application, datname as database, xact_start as began, backend_xid as id
         from pg_stat_activity where backend_xid is not null and pid <> pg_backend_pid()
       union all
       select null, 'prepared transaction ' || gid, database, prepared, transaction from pg_prepared_xacts
     ) as writing
     order by age(id) desc limit 1`,
  );
  return row;
}

/** Returns when the first event that readers cannot see yet was created. PostgreSQL only. */
export async function selectFirstHiddenEvent(db: Database): Promise<number | undefined> {
  const [row] = await db.query<{ created_at: number }>(
    `select created_at from events
     where commit_id >= (select before from feed_offset) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
     order by commit_id, position limit 1`,
  );
  return row?.created_at;
}
