import type { Tx } from '../db/database.ts';

const LETTING_IN = ['user.created', 'user.enabled', 'user.role_set', 'user.password_reset', 'user.factors_reset'];

/**
 * Returns the names of those who have set up a user since a time, also by a link that replaced an earlier one. Searches
 * by the actions, which are rare, because sign-ins have the same subject.
 */
export async function selectSetUps(tx: Tx, userId: string, since: number): Promise<string[]> {
  const rows = await tx.query<{ actor: string }>(
    `select actor from audit_log where action {named $1} and subject = $2 and created_at >= $3
     union select created_by from invitations where user_id = $2 and created_at >= $3`,
    [LETTING_IN, userId, since],
  );
  return rows.map(({ actor }) => actor);
}
