import type { Permission } from './permission.ts';
import type { User } from './user.ts';

/**
 * Why a person may not change another user at the console; null: they may. `self`: nobody decides about themselves, so the last who may
 * manage users never locks everybody out. `more`: the user may do what the person may not, or would then; who could give that, or
 * make a link for such a user, would have it.
 */
export function whyNotManaged(
  manager: Pick<User, 'id' | 'may'>,
  userId: string,
  permissions: Iterable<Permission>,
): 'self' | 'more' | null {
  if (manager.id === userId) return 'self';
  return [...permissions].every((permission) => manager.may.has(permission)) ? null : 'more';
}
