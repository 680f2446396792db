import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { Role } from './permission.ts';

export type UserRow = SqlRow & {
  id: string;
  email: string;
  password_hash: string;
  /** Made by `password-proof.ts`; null: an earlier version stored the hash, and no start has proved it since. */
  password_proof: string | null;
  all_payment_services: number;
  role: Role;
  token_version: number;
  created_at: number;
  disabled_at: number | null;
  /** The last sign-in with a password or a link; null: none recorded. */
  signed_in_at: number | null;
};

/**
 * Inserts a user. Returns false if the address already has a user. `api_token_hash` gets the id, because tokens have a
 * separate table now.
 */
export async function insertUser(tx: Tx, row: UserRow): Promise<boolean> {
  const inserted = await tx.query(
    `insert into users
       (id, email, password_hash, api_token_hash, all_payment_services, role, token_version, created_at, password_proof)
     values ($1, $2, $3, $1, $4, $5, $6, $7, $8) on conflict (email) do nothing returning id`,
    [
      row.id,
      row.email,
      row.password_hash,
      row.all_payment_services,
      row.role,
      row.token_version,
      row.created_at,
      row.password_proof,
    ],
  );
  return inserted.length === 1;
}

export async function selectUserById(db: Reader, id: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>('select * from users where id = $1', [id]);
  return row ?? null;
}

export async function selectUserByEmail(db: Reader, email: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>('select * from users where email = $1', [email]);
  return row ?? null;
}

/** A user as records name one. */
export type NamedUser = Pick<UserRow, 'id' | 'email'>;

/** Returns the users with one of these ids or e-mail addresses. */
export function selectNamedUsers(db: Reader, names: readonly string[]): Promise<NamedUser[]> {
  return db.query<NamedUser>('select id, email from users where id {named $1} or email {named $1}', [names]);
}

/** Returns users whose e-mail address contains a lower-case text, sorted by address. */
export function selectUsersLike(db: Reader, text: string, limit: number): Promise<NamedUser[]> {
  const like = `%${text.replace(/[!%_]/g, '!$&')}%`;
  const sql = `select id, email from users where lower(email) like $1 escape '!' order by email limit $2`;
  return db.query<NamedUser>(sql, [like, limit]);
}

export function selectUsers(db: Reader): Promise<UserRow[]> {
  return db.query<UserRow>('select * from users order by created_at, id');
}

// In these statements `$1` is an id or an e-mail address; no id contains an @.

export async function selectUserByIdOrEmail(db: Reader, idOrEmail: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>('select * from users where id = $1 or email = $1', [idOrEmail]);
  return row ?? null;
}

/** Returns the same and locks the row until the commit; concurrent changes of the user's rights wait. */
export async function lockUser(tx: Tx, idOrEmail: string): Promise<UserRow | null> {
  const sql = 'select * from users where id = $1 or email = $1 {for_update}';
  const [row] = await tx.query<UserRow>(sql, [idOrEmail]);
  return row ?? null;
}

/** Locks two users until the commit, in one order for all callers. */
export async function lockBoth(tx: Tx, ids: readonly [string, string]): Promise<void> {
  await tx.query('select id from users where id {named $1} order by id {for_update}', [ids]);
}

export async function updateUserDisabled(tx: Tx, idOrEmail: string, disabledAt: number): Promise<UserRow | null> {
  const [row] = await tx.query<UserRow>(
    'update users set disabled_at = $2 where (id = $1 or email = $1) and disabled_at is null returning *',
    [idOrEmail, disabledAt],
  );
  return row ?? null;
}

/** Enables a user. Access tokens from before stay revoked. */
export async function updateUserEnabled(tx: Tx, idOrEmail: string): Promise<UserRow | null> {
  const [row] = await tx.query<UserRow>(
    `update users set disabled_at = null, token_version = token_version + 1
     where (id = $1 or email = $1) and disabled_at is not null returning *`,
    [idOrEmail],
  );
  return row ?? null;
}

/**
 * Sets the password hash and its proof, and revokes all access tokens from before sessions existed. `prove`: makes the
 * proof.
 */
export async function updatePasswordHash(
  tx: Tx,
  idOrEmail: string,
  passwordHash: string,
  prove: (userId: string, passwordHash: string) => string,
): Promise<UserRow | null> {
  const [row] = await tx.query<UserRow>(
    `update users set password_hash = $2, token_version = token_version + 1
     where id = $1 or email = $1 returning *`,
    [idOrEmail, passwordHash],
  );
  if (row === undefined) return null;
  const password_proof = prove(row.id, passwordHash);
  await updatePasswordProof(tx, row.id, password_proof);
  return { ...row, password_proof };
}

export async function updatePasswordProof(tx: Tx, id: string, proof: string): Promise<void> {
  await tx.query('update users set password_proof = $2 where id = $1', [id, proof]);
}

export function selectPasswordHashes(tx: Tx): Promise<Pick<UserRow, 'id' | 'password_hash'>[]> {
  return tx.query<UserRow>('select id, password_hash from users');
}

export async function hasPasswordProofs(tx: Tx): Promise<boolean> {
  return (await tx.query('select id from users where password_proof is not null limit 1')).length > 0;
}

/**
 * Records a sign-in. Returns false if the user was disabled or the password changed meanwhile; then the sign-in fails.
 */
export async function updateSignedIn(
  tx: Tx,
  { id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>,
  signedInAt: number,
): Promise<boolean> {
  const rows = await tx.query(
    'update users set signed_in_at = $2 where id = $1 and password_hash = $3 and disabled_at is null returning id',
    [id, signedInAt, password_hash],
  );
  return rows.length === 1;
}

/** Revokes all access tokens from before sessions existed. */
export async function updateTokenVersion(tx: Tx, id: string): Promise<void> {
  await tx.query('update users set token_version = token_version + 1 where id = $1', [id]);
}
