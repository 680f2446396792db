import type { Database, Tx } from '../db/database.ts';

export async function selectKeptKey(db: Pick<Database, 'query'>, name: string): Promise<string | null> {
  const [row] = await db.query<{ sealed: string }>('select sealed from kept_keys where name = $1', [name]);
  return row?.sealed ?? null;
}

/** Answers false where a key is kept under this name already. */
export async function insertNewKeptKey(tx: Tx, name: string, sealed: string): Promise<boolean> {
  const sql = 'insert into kept_keys (name, sealed) values ($1, $2) on conflict (name) do nothing returning name';
  return (await tx.query(sql, [name, sealed])).length === 1;
}

/** Answers the key that is kept under this name, which is an earlier one where there is one. */
export async function insertKeptKey(tx: Tx, name: string, sealed: string): Promise<string> {
  const [row] = await tx.query<{ sealed: string }>(
    `insert into kept_keys (name, sealed) values ($1, $2)
     on conflict (name) do update set sealed = kept_keys.sealed returning sealed`,
    [name, sealed],
  );
  return (row as { sealed: string }).sealed;
}
