import type { Reader, SqlRow, Tx } from '../../db/database.ts';

/**
 * Times are UTC milliseconds. `site`: the host of a passkey; null if unknown. `last_step`: the last time step of a
 * TOTP, or the counter of a passkey.
 */
export type FactorRow = SqlRow & {
  id: string;
  user_id: string;
  kind: 'totp' | 'passkey';
  name: string;
  sealed: string;
  credential: string | null;
  site: string | null;
  last_step: number;
  created_at: number;
  last_used_at: number | null;
};

/** Inserts a factor. Returns false if it, or a passkey with this credential, already exists. */
export async function insertFactor(tx: Tx, row: FactorRow): Promise<boolean> {
  const inserted = await tx.query(
    `insert into factors (id, user_id, kind, name, sealed, credential, site, last_step, created_at, last_used_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing returning id`,
    [
      row.id,
      row.user_id,
      row.kind,
      row.name,
      row.sealed,
      row.credential,
      row.site,
      row.last_step,
      row.created_at,
      row.last_used_at,
    ],
  );
  return inserted.length === 1;
}

export function selectFactorsOf(db: Reader, userId: string): Promise<FactorRow[]> {
  return db.query<FactorRow>('select * from factors where user_id = $1 order by created_at, id', [userId]);
}

export async function selectFactor(db: Reader, id: string): Promise<FactorRow | null> {
  const [row] = await db.query<FactorRow>('select * from factors where id = $1', [id]);
  return row ?? null;
}

/** Returns the ids of the users with a second factor. */
export async function selectFactorOwners(db: Reader): Promise<Set<string>> {
  const rows = await db.query<{ user_id: string }>('select distinct user_id from factors');
  return new Set(rows.map(({ user_id }) => user_id));
}

export async function hasFactor(db: Reader, userId: string): Promise<boolean> {
  return (await db.query('select id from factors where user_id = $1 limit 1', [userId])).length > 0;
}

/**
 * Uses up a code of a later time step than the last. Returns false otherwise: a code works once, also for two
 * concurrent requests.
 */
export async function updateFactorUsed(tx: Tx, id: string, step: number, usedAt: number): Promise<boolean> {
  const rows = await tx.query(
    'update factors set last_step = $2, last_used_at = $3 where id = $1 and last_step < $2 returning id',
    [id, step, usedAt],
  );
  return rows.length === 1;
}

/**
 * Records the use of a passkey with its counter. Returns false if the counter did not grow: somebody may have used a
 * copy. Passkeys without a counter always send 0 (WebAuthn, 6.1.1).
 */
export async function updatePasskeyUsed(
  tx: Tx,
  { id, site }: Pick<FactorRow, 'id' | 'site'>,
  counter: number,
  usedAt: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update factors set last_step = $2, last_used_at = $3, site = $4
     where id = $1 and kind = 'passkey' and (last_step < $2 or (last_step = 0 and $2 = 0)) returning id`,
    [id, counter, usedAt, site],
  );
  return rows.length === 1;
}

/** Returns how many passkeys of enabled users belong to another host. */
export async function countPasskeysOfOthers(db: Reader, site: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from factors f join users u on u.id = f.user_id
     where f.kind = 'passkey' and f.site is not null and f.site <> $1 and u.disabled_at is null`,
    [site],
  );
  return row?.count ?? 0;
}

/** Removes one factor of a user; `id` null: all. Returns the removed ones. */
export function deleteFactors(tx: Tx, userId: string, id: string | null): Promise<FactorRow[]> {
  return tx.query<FactorRow>("delete from factors where user_id = $1 and $2 in ('', id) returning *", [
    userId,
    id ?? '',
  ]);
}
