import type { Database, Tx } from '../db/database.ts';

export async function selectKeptKey(db: Pick<Database, 'query'>, name: string): Promise<string | null> {
  const [row] = await db.query<{ sealed: string }>('select sealed from kept_keys where name = $1', [name]);
  return row?.sealed ?? null;
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
