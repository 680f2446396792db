import type { App } from '../../app.ts';
import { ConfigError } from '../../config.ts';
import { isRole, kindOfRole, type Permission, ROLES, type Role, rolesThatMay } from '../permission.ts';
import type { User } from '../user.ts';
import type { FactorRow } from './factor-queries.ts';

/** A second factor as shown to people; times are UTC milliseconds. */
export type ListedFactor = Pick<FactorRow, 'id' | 'kind' | 'name' | 'created_at' | 'last_used_at'>;

/**
 * Returns whether a person needs a second factor to see the console: the role needs it, or the person was granted a
 * permission that otherwise only such roles have.
 */
export function mustHaveFactor(
  { config: { secondFactorRoles } }: Pick<App, 'config'>,
  { role, may }: Pick<User, 'role' | 'may'>,
): boolean {
  const needsIt = (one: Role) => secondFactorRoles.includes(one);
  const isOfThem = (permission: Permission) => rolesThatMay(permission)[0].every(needsIt);
  return needsIt(role) || (kindOfRole(role) === 'person' && [...may].some(isOfThem));
}

/** Throws `ConfigError` if SECOND_FACTOR_ROLES names an unknown role. */
export function checkFactorRoles({ config }: Pick<App, 'config'>): void {
  const unknown = config.secondFactorRoles.find((role) => !isRole(role));
  if (unknown === undefined) return;
  throw new ConfigError(
    `SECOND_FACTOR_ROLES names ${unknown}, which is not a role: write none, or some of ${Object.keys(ROLES).join(',')}.`,
  );
}

/** Returns whether a text can be the name of a factor, such as the name of a device. */
export function isFactorName(name: string): boolean {
  return /^[\p{L}\p{N} ._'-]{1,60}$/u.test(name);
}
