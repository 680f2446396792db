import { rolesThatMay } from '../../auth/permission.ts';
import type { Reader, SqlParameter } from '../../db/database.ts';

/**
 * The condition that a user `u` may approve payouts of an environment `e`. `$1`: the roles that may approve; `$2`: the
 * roles that see development only. A program may never approve.
 */
export const MAY_APPROVE = `u.disabled_at is null and u.role <> 'integration'
  and (u.role {named $1} or exists (select 1 from user_permissions g
    where g.user_id = u.id and g.permission = 'payouts:approve'))
  and (e.environment = 'development' or not u.role {named $2})
  and (u.all_payment_services = 1 or exists (select 1 from user_payment_services s
    where s.user_id = u.id and s.payment_service_id = e.payment_service_id))`;

/** The parameters `$1` and `$2` of `MAY_APPROVE`. */
export function approverRoles(): [SqlParameter, SqlParameter] {
  return rolesThatMay('payouts:approve');
}

/** Returns the addresses of all users who may approve payouts of an environment, by their ids. */
export async function selectApprovers(db: Reader, environmentId: number): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; email: string }>(
    `select u.id, u.email from users u, environments e where e.id = $3 and ${MAY_APPROVE} order by u.email`,
    [...approverRoles(), environmentId],
  );
  return new Map(rows.map(({ id, email }) => [id, email]));
}
