import { accountOf } from '../audit/actor.ts';
import type { Tx } from '../db/database.ts';
import { selectSetUps } from './set-up-queries.ts';
import type { NamedUser } from './user-queries.ts';

const SET_UP_MS = 7 * 86_400_000;

/** Members of the act of an approval: the addresses of people; absent: nobody. */
export type SetUps = { approver_set_up_by?: string; set_up_by_approver?: string };

/**
 * Returns who of those who may not approve (`barred`) set up the approver within the last 7 days, and whom of them the
 * approver set up: created, invited or enabled them, changed their rights, or reset their password or second factors.
 * If there are several, it names one. Two addresses may belong to one person, so an auditor should see it.
 */
export async function findSetUps(
  tx: Tx,
  approver: NamedUser,
  barred: readonly NamedUser[],
  now: number,
): Promise<SetUps> {
  const ids = [approver.id, ...barred.map(({ id }) => id)];
  const setUps = await selectSetUps(tx, ids, now - SET_UP_MS);
  const has = (user: NamedUser, by: NamedUser) =>
    setUps.some(({ user_id, actor }) => user_id === user.id && accountOf(actor) === by.email);
  const before = barred.find((one) => has(approver, one));
  const after = barred.find((one) => has(one, approver));
  return {
    ...(before !== undefined && { approver_set_up_by: before.email }),
    ...(after !== undefined && { set_up_by_approver: after.email }),
  };
}
