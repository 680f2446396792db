import type { Database } from './database.ts';

/** How Citus stores `events`. `method`: n if one shard holds the whole table; `copies`: t if every node has a copy. */
type Placement = { method: string; copies: string; shards_here: number };

const DIVIDED =
  'Citus divides the table events by rows. The feed is ordered by the transaction ids of one node, so GET /events would leave events out. Use schema-based sharding: docs/scaling.md.';
const ELSEWHERE =
  "Citus keeps this schema on another node. Its events have the transaction ids of that node, so GET /events would leave events out. Let DATABASE_URL name the node that has it: select nodename, nodeport from citus_shards where table_name = 'events'::regclass.";

/**
 * Returns why the feed would be wrong on this connection's Citus node and what to do, in a sentence; null if it is
 * right or there is no Citus. Reads the catalogues of Citus 13: pg_dist_partition, pg_dist_shard, pg_dist_placement,
 * pg_dist_local_group.
 */
export async function whyFeedIsElsewhere(db: Database): Promise<string | null> {
  if (!(await hasCitus(db))) return null;
  const [placement] = await db.query<Placement>(
    `select p.partmethod::text as method, p.repmodel::text as copies, (
       select count(*) from pg_dist_shard s
       join pg_dist_placement on pg_dist_placement.shardid = s.shardid
       join pg_dist_local_group on pg_dist_local_group.groupid = pg_dist_placement.groupid
       where s.logicalrelid = p.logicalrelid) as shards_here
     from pg_dist_partition p where p.logicalrelid = to_regclass('events')`,
  );
  if (placement === undefined) return null;
  if (placement.method !== 'n' || placement.copies === 't') return DIVIDED;
  return placement.shards_here > 0 ? null : ELSEWHERE;
}

/** Returns whether the database has Citus. Without Citus no table can move to another node. */
export async function hasCitus(db: Database): Promise<boolean> {
  if (db.engine === 'sqlite') return false;
  const [found] = await db.query<{ catalogue: string | null }>(
    `select to_regclass('pg_dist_partition')::text as catalogue`,
  );
  return found?.catalogue !== null;
}
