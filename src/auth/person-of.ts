import type { Actor } from '../audit/actor.ts';
import type { Database } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { userOf } from './find-user.ts';
import type { Permission } from './permission.ts';
import type { User } from './user.ts';
import { selectUserById } from './user-queries.ts';

type Reader = Pick<Database, 'query'>;

/** A program never uses these, whatever was granted to it. */
const OF_PEOPLE: readonly Permission[] = ['payouts:approve', 'refunds:approve'];

/**
 * The user behind an actor, as the store has it now. Throws `Problem` PERSON_NEEDED where nobody was named, or a program was
 * where a person is needed, and PERMISSION_MISSING where the user may not, or does not see the environment.
 */
export async function requireUserOf(
  db: Reader,
  by: Actor,
  environmentId: number,
  permission: Permission,
): Promise<User> {
  const row = by.userId === null ? null : await selectUserById(db, by.userId);
  if (row === null || row.disabled_at !== null) throw new Problem('PERSON_NEEDED');
  const user = await userOf({ db }, row);
  if (OF_PEOPLE.includes(permission) && user.role === 'integration') throw new Problem('PERSON_NEEDED');
  if (user.may.has(permission) && (user.environmentIds?.has(environmentId) ?? true)) return user;
  throw new Problem('PERMISSION_MISSING', {
    detail: {
      en: `The permission ${permission} in this environment is missing.`,
      es: `Falta el permiso ${permission} en este ambiente.`,
    },
    data: { permission },
  });
}
