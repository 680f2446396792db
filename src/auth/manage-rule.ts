import type { Reader, Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { type DescribedRights, describeRights } from './describe-rights.ts';
import { rightsOf } from './permission.ts';
import { lockBoth, selectUserById } from './user-queries.ts';

/** A user's permissions, payment services, and refund limits per day. */
export type Held = Pick<DescribedRights, 'role' | 'permissions' | 'payment_services' | 'refund_limits'>;

/** Returns the current rights of a user; none for a deleted user. */
export async function heldBy(db: Reader, userId: string): Promise<Held> {
  const row = await selectUserById(db, userId);
  const [rights] = row === null ? [] : await describeRights(db, [row]);
  return rights ?? { role: 'integration', permissions: [], payment_services: [], refund_limits: {} };
}

/**
 * Returns why a manager of users may not change another user; null: the manager may. `self`: no managers change
 * themselves, so the last one cannot lock everybody out. `more`: the user has, or would get, rights that the manager
 * lacks. Otherwise the manager could obtain them through a link or a token of that user.
 */
export function whyNotManaged(
  manager: Held & { id: string },
  person: Held & { id: string | null },
): 'self' | 'more' | null {
  if (manager.id === person.id) return 'self';
  return isWithin(manager, person) ? null : 'more';
}

/**
 * Locks a manager of users and the user that the manager changes. If two managers change each other at once, the second
 * is refused, so an owner is left. Throws `Problem` `MORE_THAN_YOURS`.
 */
export async function requireManager(tx: Tx, managerId: string, userId: string): Promise<void> {
  await lockBoth(tx, [managerId, userId]);
  await requireWithin(tx, managerId, userId);
}

/**
 * Throws `Problem` `MORE_THAN_YOURS` unless the manager may still change this user, with the rights that the user has
 * now.
 */
export async function requireWithin(tx: Tx, managerId: string, userId: string): Promise<void> {
  const row = await selectUserById(tx, managerId);
  const [manager, person] = [await heldBy(tx, managerId), await heldBy(tx, userId)];
  const isManager = row !== null && row.disabled_at === null && manager.permissions.includes('users:manage');
  if (isManager && whyNotManaged({ ...manager, id: managerId }, { ...person, id: userId }) === null) return;
  throw new Problem('MORE_THAN_YOURS');
}

/** Returns whether `held` includes all of `wanted`: permissions, environments, payment services and refund limits. */
export function isWithin(held: Held, wanted: Held): boolean {
  return (
    wanted.permissions.every((permission) => held.permissions.includes(permission)) &&
    isSeenBy(held, wanted) &&
    (!wanted.permissions.includes('refunds:create') || areLimitsWithin(held.refund_limits, wanted.refund_limits))
  );
}

/** Returns whether `held` sees everything that `wanted` sees. If not, that user does not exist for the manager. */
export function isSeenBy(held: Held, wanted: Held): boolean {
  const sees = (role: Held['role']) => rightsOf(role).environments;
  if (sees(held.role) === 'development' && sees(wanted.role) === 'both') return false;
  return areServicesWithin(held.payment_services, wanted.payment_services);
}

/**
 * Returns whether a manager's payment services include all of the user's. A manager of some services does not manage
 * users without any.
 */
function areServicesWithin(held: Held['payment_services'], wanted: Held['payment_services']): boolean {
  return held === null || (wanted !== null && wanted.length > 0 && wanted.every((id) => held.includes(id)));
}

/** A currency without a limit counts as 0 if another currency has one. */
function areLimitsWithin(held: Held['refund_limits'], wanted: Held['refund_limits']): boolean {
  if (held === null) return true;
  return wanted !== null && Object.entries(wanted).every(([currency, most]) => most <= (held[currency] ?? 0));
}
