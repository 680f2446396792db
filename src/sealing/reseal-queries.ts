import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { SealedKind } from './sealed-kind.ts';

/** A row with its key columns and its sealed text. */
export type SealedRow = SqlRow & { sealed: string };

/** The key id is the second part of a sealed text. */
const keyId = ({ column }: SealedKind) => `substr(${column}, 4, 8)`;

/** Lists at most `limit` texts sealed with the key of this id, in the order of their rows, after one of them. */
export function selectSealedWith(
  db: Reader,
  kind: SealedKind,
  sealingKeyId: string,
  limit: number,
  after: SealedRow | null = null,
): Promise<SealedRow[]> {
  const named = [...kind.key, ...kind.owner].join(', ');
  const key = kind.key.join(', ');
  const place = after === null ? [] : kind.key.map((name) => after[name] ?? null);
  const beyond = place.length === 0 ? '' : `and (${key}) > (${place.map((_, at) => `$${at + 3}`).join(', ')})`;
  return db.query<SealedRow>(
    `select ${named}, ${kind.column} as sealed from ${kind.table}
     where ${kind.where} and ${keyId(kind)} = $1 ${beyond} order by ${key} limit $2`,
    [sealingKeyId, limit, ...place],
  );
}

/** Replaces the text of a row, unless it has changed meanwhile. */
export async function updateSealed(tx: Tx, kind: SealedKind, row: SealedRow, sealed: string): Promise<boolean> {
  const named = kind.key.map((name, at) => `${name} = $${at + 3}`).join(' and ');
  const rows = await tx.query(
    `update ${kind.table} set ${kind.column} = $1 where ${kind.column} = $2 and ${named} returning ${kind.key[0]}`,
    [sealed, row.sealed, ...kind.key.map((name) => row[name] ?? null)],
  );
  return rows.length === 1;
}

export function selectSealCounts(db: Reader, kind: SealedKind): Promise<{ key_id: string; texts: number }[]> {
  return db.query(
    `select ${keyId(kind)} as key_id, count(*) as texts from ${kind.table}
     where ${kind.where} and ${kind.column} is not null group by ${keyId(kind)}`,
  );
}

/** Returns whether every text of the store is bound to its owner. */
export async function selectBound(db: Reader): Promise<boolean> {
  return (await db.query('select id from seals_bound')).length === 1;
}

/** Records that, with this commit. Waits for a concurrent process; returns false if that one has recorded it. */
export async function insertBound(tx: Tx): Promise<boolean> {
  const rows = await tx.query('insert into seals_bound (id) values (1) on conflict (id) do nothing returning id');
  return rows.length === 1;
}
