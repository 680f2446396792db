import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { AttentionName } from './attention.ts';

/** An item that a person has taken. `id` is unique within its kind, payment service and environment. */
export type AttentionKey = { kind: AttentionName; id: string; payment_service: string; environment: string };

/** A row of `attention_owners`. `taken_at` is UTC milliseconds. */
export type AttentionOwner = SqlRow & AttentionKey & { taken_at: number; taken_by: string };

/** Lists the owners of items of these kinds. A disabled user looks after nothing, until they are enabled. */
export function selectOwnersOf(db: Reader, kinds: readonly AttentionName[]): Promise<AttentionOwner[]> {
  return db.query<AttentionOwner>(
    `select o.* from attention_owners o left join users u on u.email = o.taken_by
     where o.kind {named $1} and u.disabled_at is null`,
    [kinds],
  );
}

/** Locks the owner row until the commit; null if the item has no owner. */
export async function lockOwner(tx: Tx, key: AttentionKey): Promise<AttentionOwner | null> {
  const [row] = await tx.query<AttentionOwner>(
    `update attention_owners set taken_by = taken_by
     where kind = $1 and id = $2 and payment_service = $3 and environment = $4 returning *`,
    placeOf(key),
  );
  return row ?? null;
}

const INSERT = `insert into attention_owners (kind, id, payment_service, environment, taken_at, taken_by)
  values ($1, $2, $3, $4, $5, $6) on conflict (kind, id, payment_service, environment)`;

/** Inserts the owner of an item. Returns false if it has one. */
export async function insertOwner(tx: Tx, key: AttentionKey, by: string, at: number): Promise<boolean> {
  return (await tx.query(`${INSERT} do nothing returning id`, [...placeOf(key), at, by])).length === 1;
}

export async function upsertOwner(tx: Tx, key: AttentionKey, by: string, at: number): Promise<void> {
  const set = 'taken_at = excluded.taken_at, taken_by = excluded.taken_by';
  await tx.query(`${INSERT} do update set ${set}`, [...placeOf(key), at, by]);
}

export async function deleteOwner(tx: Tx, key: AttentionKey): Promise<void> {
  await tx.query(
    'delete from attention_owners where kind = $1 and id = $2 and payment_service = $3 and environment = $4',
    placeOf(key),
  );
}

function placeOf({ kind, id, payment_service, environment }: AttentionKey): string[] {
  return [kind, id, payment_service, environment];
}
