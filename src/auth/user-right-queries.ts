import type { Reader, Tx } from '../db/database.ts';
import type { Permission } from './permission.ts';

/** Inserts a user's payment service unless the user has it. Returns false if it does not exist. */
export async function insertUserPaymentService(tx: Tx, userId: string, paymentServiceId: string): Promise<boolean> {
  const inserted = await tx.query(
    `insert into user_payment_services (user_id, payment_service_id)
     select $1, id from payment_services where id = $2
     on conflict (user_id, payment_service_id) do update set user_id = excluded.user_id returning user_id`,
    [userId, paymentServiceId],
  );
  return inserted.length === 1;
}

/** Removes one payment service from those that a user sees. */
export async function deleteUserPaymentService(tx: Tx, userId: string, paymentServiceId: string): Promise<void> {
  const sql = 'delete from user_payment_services where user_id = $1 and payment_service_id = $2';
  await tx.query(sql, [userId, paymentServiceId]);
}

export async function deleteUserPaymentServices(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from user_payment_services where user_id = $1', [userId]);
}

export async function updateAllPaymentServices(tx: Tx, userId: string, all: boolean): Promise<void> {
  await tx.query('update users set all_payment_services = $2 where id = $1', [userId, all ? 1 : 0]);
}

/** Returns the payment services of one user; null: of all users. */
export function selectUserPaymentServices(
  db: Reader,
  userId: string | null,
): Promise<{ user_id: string; payment_service_id: string }[]> {
  return db.query(
    `select user_id, payment_service_id from user_payment_services where $1 in ('', user_id)
     order by user_id, payment_service_id`,
    [userId ?? ''],
  );
}

/** Returns the environments of the user's payment services: both, or development only. */
export async function selectEnvironmentIds(
  db: Reader,
  userId: string,
  environments: 'both' | 'development',
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `select e.id from user_payment_services s join environments e on e.payment_service_id = s.payment_service_id
     where s.user_id = $1 and $2 in ('both', e.environment)`,
    [userId, environments],
  );
  return rows.map((row) => row.id);
}

export async function selectDevelopmentIds(db: Reader): Promise<number[]> {
  const rows = await db.query<{ id: number }>("select id from environments where environment = 'development'");
  return rows.map((row) => row.id);
}

export async function updateRole(tx: Tx, userId: string, role: string): Promise<void> {
  await tx.query('update users set role = $2 where id = $1', [userId, role]);
}

/** Returns the permissions granted to one user; null: to all users. */
export function selectPermissions(
  db: Reader,
  userId: string | null,
): Promise<{ user_id: string; permission: string }[]> {
  const [where, ...values] = userId === null ? [''] : ['where user_id = $1', userId];
  return db.query(`select user_id, permission from user_permissions ${where} order by user_id, permission`, values);
}

export async function insertPermission(tx: Tx, userId: string, permission: Permission): Promise<void> {
  await tx.query('insert into user_permissions (user_id, permission) values ($1, $2) on conflict do nothing', [
    userId,
    permission,
  ]);
}

export async function deletePermission(tx: Tx, userId: string, permission: Permission): Promise<void> {
  await tx.query('delete from user_permissions where user_id = $1 and permission = $2', [userId, permission]);
}
