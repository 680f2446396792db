import type { Reader, SqlRow, Tx } from '../db/database.ts';

/** A process of the service. Times are UTC milliseconds; `findings` is JSON. */
export type ProcessRow = SqlRow & {
  id: string;
  host: string;
  pid: number;
  version: string;
  started_at: number;
  seen_at: number;
  findings: string;
};

/** Lists the processes, the oldest first. */
export function selectProcesses(db: Reader): Promise<ProcessRow[]> {
  return db.query<ProcessRow>('select * from processes order by started_at, id');
}

/** Counts the other connections of this program to its PostgreSQL database. */
export async function countOtherConnections(db: Reader): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
       and application_name = current_setting('application_name')`,
  );
  return row?.count ?? 0;
}

/** Records the first or the next heartbeat of a process. */
export async function upsertProcess(tx: Tx, row: ProcessRow): Promise<void> {
  const { id, host, pid, version, started_at, seen_at, findings } = row;
  await tx.query(
    `insert into processes (id, host, pid, version, started_at, seen_at, findings) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set seen_at = excluded.seen_at, findings = excluded.findings`,
    [id, host, pid, version, started_at, seen_at, findings],
  );
}

/** Deletes a process that has ended without an orderly stop. Returns how many there were. */
export async function deleteProcessOf(tx: Tx, host: string, pid: number): Promise<number> {
  return (await tx.query('delete from processes where host = $1 and pid = $2 returning id', [host, pid])).length;
}

/** Deletes a stopped process, and all processes without a heartbeat since `before`. */
export async function deleteProcesses(tx: Tx, stopped: string | null, before: number): Promise<void> {
  await tx.query('delete from processes where id = $1 or seen_at < $2', [stopped ?? '', before]);
}
