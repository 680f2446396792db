import type { Database, Tx } from '../../db/database.ts';

/** Returns when the user last logged in from a network, or null. */
export async function selectKnownNetwork(db: Database, userId: string, network: string): Promise<number | null> {
  const [row] = await db.query<{ last_at: number }>(
    'select last_at from known_networks where user_id = $1 and network = $2',
    [userId, network],
  );
  return row?.last_at ?? null;
}

/** Returns when any user last logged in from a network, or null. */
export async function selectLastLogIn(db: Database, network: string): Promise<number | null> {
  const sql = 'select max(last_at) as last_at from known_networks where network = $1';
  const [row] = await db.query<{ last_at: number | null }>(sql, [network]);
  return row?.last_at ?? null;
}

/** Stores a network, and deletes all but the `most` that the user used last. */
export async function upsertKnownNetwork(
  tx: Tx,
  row: { user_id: string; network: string; last_at: number },
  most: number,
): Promise<void> {
  await tx.query(
    `insert into known_networks (user_id, network, last_at) values ($1, $2, $3)
     on conflict (user_id, network) do update set last_at = excluded.last_at`,
    [row.user_id, row.network, row.last_at],
  );
  await tx.query(
    `delete from known_networks where user_id = $1 and network not in
       (select network from known_networks where user_id = $1 order by last_at desc, network limit $2)`,
    [row.user_id, most],
  );
}
