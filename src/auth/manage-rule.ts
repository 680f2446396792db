import type { Database } from '../db/database.ts';
import { type DescribedRights, describeRights } from './describe-rights.ts';
import { rightsOf } from './permission.ts';
import { selectUserById } from './user-queries.ts';

/** Somebody's permissions, the payment services that they see, and how much they may refund in a day. */
export type Held = Pick<DescribedRights, 'role' | 'permissions' | 'payment_services' | 'refund_limits'>;

/** Reads the rights of a user at this moment; a user who is gone has none. */
export async function heldBy(db: Pick<Database, 'query'>, userId: string): Promise<Held> {
  const row = await selectUserById(db, userId);
  const [rights] = row === null ? [] : await describeRights(db, [row]);
  return rights ?? { role: 'integration', permissions: [], payment_services: [], refund_limits: {} };
}

/**
 * Why somebody who may manage users may not change another one; null: they may. `self`: nobody decides about themselves, so the last who
 * may manage users never locks everybody out. `more`: the user holds what the manager does not, or would then; who could give that, or
 * make a link or a token for such a user, would have it.
 */
export function whyNotManaged(
  manager: Held & { id: string },
  person: Held & { id: string | null },
): 'self' | 'more' | null {
  if (manager.id === person.id) return 'self';
  return isWithin(manager, person) ? null : 'more';
}

/** Whether all of `wanted` is held already: permissions, environments, payment services, and refunds of a day. */
export function isWithin(held: Held, wanted: Held): boolean {
  return (
    wanted.permissions.every((permission) => held.permissions.includes(permission)) &&
    isSeenBy(held, wanted) &&
    (!wanted.permissions.includes('refunds:create') || areLimitsWithin(held.refund_limits, wanted.refund_limits))
  );
}

/** Whether all that somebody sees is seen by another one: if not, for that one they do not exist. */
export function isSeenBy(held: Held, wanted: Held): boolean {
  const sees = (role: Held['role']) => rightsOf(role).environments;
  if (sees(held.role) === 'development' && sees(wanted.role) === 'both') return false;
  return areServicesWithin(held.payment_services, wanted.payment_services);
}

/** Somebody who sees some payment services manages the users of those, and nobody who is of none. */
function areServicesWithin(held: Held['payment_services'], wanted: Held['payment_services']): boolean {
  return held === null || (wanted !== null && wanted.length > 0 && wanted.every((id) => held.includes(id)));
}

/** A limit in any currency is 0 in the others. */
function areLimitsWithin(held: Held['refund_limits'], wanted: Held['refund_limits']): boolean {
  if (held === null) return true;
  return wanted !== null && Object.entries(wanted).every(([currency, most]) => most <= (held[currency] ?? 0));
}
