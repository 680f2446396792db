import type { Database, SqlRow, Tx } from '../db/database.ts';

type Reader = Pick<Database, 'query'>;

export type UserRow = SqlRow & {
  id: string;
  email: string;
  password_hash: string;
  api_token_hash: string;
  operator: number;
  payouts: number;
  token_version: number;
  created_at: number;
  disabled_at: number | null;
};

/** Answers false when the address belongs to a user already. */
export async function insertUser(tx: Tx, row: UserRow): Promise<boolean> {
  const inserted = await tx.query(
    `insert into users (id, email, password_hash, api_token_hash, operator, payouts, token_version, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (email) do nothing returning id`,
    [
      row.id,
      row.email,
      row.password_hash,
      row.api_token_hash,
      row.operator,
      row.payouts,
      row.token_version,
      row.created_at,
    ],
  );
  return inserted.length === 1;
}

/** Answers false when there is no such payment service. */
export async function insertUserPaymentService(tx: Tx, userId: string, paymentServiceId: string): Promise<boolean> {
  const inserted = await tx.query(
    `insert into user_payment_services (user_id, payment_service_id)
     select $1, id from payment_services where id = $2 returning user_id`,
    [userId, paymentServiceId],
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

/** Both environments of every payment service that the user sees. */
export async function selectEnvironmentIds(db: Reader, userId: string): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `select e.id from environments e
     join user_payment_services u on u.payment_service_id = e.payment_service_id
     where u.user_id = $1`,
    [userId],
  );
  return rows.map((row) => row.id);
}

export function selectUsers(db: Reader): Promise<UserRow[]> {
  return db.query<UserRow>('select * from users order by created_at, id');
}

export function selectUserPaymentServices(db: Reader): Promise<{ user_id: string; payment_service_id: string }[]> {
  return db.query('select user_id, payment_service_id from user_payment_services order by user_id, payment_service_id');
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

export async function updatePayouts(tx: Tx, idOrEmail: string, payouts: boolean): Promise<boolean> {
  const rows = await tx.query('update users set payouts = $2 where id = $1 or email = $1 returning id', [
    idOrEmail,
    payouts ? 1 : 0,
  ]);
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
