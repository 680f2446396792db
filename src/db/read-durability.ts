import type { Database } from './database.ts';

/** The durability settings of a PostgreSQL, as set for its server, database and role. */
export type Durability = { fsync: string; fullPageWrites: string; synchronousCommit: string; isolation: string };

/** Returns whether the server takes no changes: it is a standby, or somebody has made it or the database read-only. */
export async function isReadOnly(db: Database): Promise<boolean> {
  const [row] = await db.query<{ value: string }>(`select current_setting('transaction_read_only') as value`);
  return row?.value === 'on';
}

/** Reads these settings, without the overrides of this session. */
export async function readDurability(db: Database): Promise<Durability> {
  const rows = await db.query<{ name: string; value: string }>(
    `select name, reset_val as value from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'default_transaction_isolation')`,
  );
  const set = new Map(rows.map(({ name, value }) => [name, value]));
  const valueOf = (name: string) => set.get(name) ?? 'unknown';
  return {
    fsync: valueOf('fsync'),
    fullPageWrites: valueOf('full_page_writes'),
    synchronousCommit: valueOf('synchronous_commit'),
    isolation: valueOf('default_transaction_isolation'),
  };
}
