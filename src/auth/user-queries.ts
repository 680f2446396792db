import type { Database, SqlRow, Tx } from '../db/database.ts';
import type { Role } from './permission.ts';

type Reader = Pick<Database, 'query'>;

export type UserRow = SqlRow & {
  id: string;
  email: string;
  password_hash: string;
  api_token_hash: string;
  all_payment_services: number;
  role: Role;
  token_version: number;
  created_at: number;
  disabled_at: number | null;
};

/** Answers false when the address belongs to a user already. */
export async function insertUser(tx: Tx, row: UserRow): Promise<boolean> {
  const inserted = await tx.query(
    `insert into users (id, email, password_hash, api_token_hash, all_payment_services, role, token_version, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (email) do nothing returning id`,
    [
      row.id,
      row.email,
      row.password_hash,
      row.api_token_hash,
      row.all_payment_services,
      row.role,
      row.token_version,
      row.created_at,
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

export async function selectUserByApiToken(db: Reader, apiTokenHash: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>('select * from users where api_token_hash = $1', [apiTokenHash]);
  return row ?? null;
}

export function selectUsers(db: Reader): Promise<UserRow[]> {
  return db.query<UserRow>('select * from users order by created_at, id');
}

// `$1` of these is an id or an e-mail address; no id has an @.

export async function selectUserByIdOrEmail(db: Reader, idOrEmail: string): Promise<UserRow | null> {
  const [row] = await db.query<UserRow>('select * from users where id = $1 or email = $1', [idOrEmail]);
  return row ?? null;
}

export async function updateUserDisabled(tx: Tx, idOrEmail: string, disabledAt: number): Promise<boolean> {
  const rows = await tx.query(
    'update users set disabled_at = $2 where (id = $1 or email = $1) and disabled_at is null returning id',
    [idOrEmail, disabledAt],
  );
  return rows.length === 1;
}

/** What was given out before the user was disabled stays revoked. */
export async function updateUserEnabled(tx: Tx, idOrEmail: string): Promise<boolean> {
  const rows = await tx.query(
    `update users set disabled_at = null, token_version = token_version + 1
     where (id = $1 or email = $1) and disabled_at is not null returning id`,
    [idOrEmail],
  );
  return rows.length === 1;
}

/** Every access token given out before is revoked with it. */
export async function updatePasswordHash(tx: Tx, idOrEmail: string, passwordHash: string): Promise<UserRow | null> {
  const [row] = await tx.query<UserRow>(
    `update users set password_hash = $2, token_version = token_version + 1
     where id = $1 or email = $1 returning *`,
    [idOrEmail, passwordHash],
  );
  return row ?? null;
}

/** Every access token given out before is revoked with it, because the old API token may have made it. */
export async function updateApiTokenHash(tx: Tx, idOrEmail: string, apiTokenHash: string): Promise<UserRow | null> {
  const [row] = await tx.query<UserRow>(
    `update users set api_token_hash = $2, token_version = token_version + 1
     where id = $1 or email = $1 returning *`,
    [idOrEmail, apiTokenHash],
  );
  return row ?? null;
}
