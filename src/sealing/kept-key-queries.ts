import type { Reader, Tx } from '../db/database.ts';

export async function selectKeptKey(db: Reader, name: string): Promise<string | null> {
  const [row] = await db.query<{ sealed: string }>('select sealed from kept_keys where name = $1', [name]);
  return row?.sealed ?? null;
}

export function selectKeptKeys(db: Reader): Promise<{ name: string; sealed: string }[]> {
  return db.query('select name, sealed from kept_keys order by name');
}

/** Stores a key. Returns false if the name already has a key. */
export async function insertNewKeptKey(tx: Tx, name: string, sealed: string): Promise<boolean> {
  const sql = 'insert into kept_keys (name, sealed) values ($1, $2) on conflict (name) do nothing returning name';
  return (await tx.query(sql, [name, sealed])).length === 1;
}

/** Stores a key unless the name already has one. Returns the stored key. */
export async function insertKeptKey(tx: Tx, name: string, sealed: string): Promise<string> {
  const [row] = await tx.query<{ sealed: string }>(
    `insert into kept_keys (name, sealed) values ($1, $2)
     on conflict (name) do update set sealed = kept_keys.sealed returning sealed`,
    [name, sealed],
  );
  return (row as { sealed: string }).sealed;
}
