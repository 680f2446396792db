import type { Tx } from '../db/database.ts';

const LETTING_IN = ['user.created', 'user.enabled', 'user.role_set', 'user.password_reset', 'user.factors_reset'];

/**
 * Returns the names of those who have set up these users since a time, also by a link that replaced an earlier one.
 * Searches by the actions, which are rare, because sign-ins have the same subject.
 */
export function selectSetUps(
  tx: Tx,
  userIds: readonly string[],
  since: number,
): Promise<{ user_id: string; actor: string }[]> {
  return tx.query(
    `select subject as user_id, actor from audit_log
     where action {named $1} and subject {named $2} and created_at >= $3
     union select user_id, created_by from invitations where user_id {named $2} and created_at >= $3`,
    [LETTING_IN, userIds, since],
  );
}
