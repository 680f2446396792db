import { type Actor, tokenOf } from '../audit/actor.ts';
import type { Reader } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { userOf } from './find-user.ts';
import { missingPermission } from './missing-permission.ts';
import { kindOfRole, mayAny, type Needed, type Permission } from './permission.ts';
import { isSessionOpen, selectSuccessor } from './sign-in/session-queries.ts';
import { hasOpenApiToken } from './tokens/api-token-queries.ts';
import type { User } from './user.ts';
import { userActor } from './user-actor.ts';
import { selectUserById } from './user-queries.ts';

/** Programs never have these permissions, even if granted. */
const OF_PEOPLE: readonly Permission[] = ['payouts:approve', 'refunds:approve'];

/**
 * Returns the actor of a request. `user`: as the request was let in. `needed`: the permissions of its endpoint; one is
 * enough, and a person's own account needs none. Each act of the actor is refused in its commit with `Problem`
 * TOKEN_INVALID if the user is disabled, or if the API token or the session of an access token was ended, and
 * PERMISSION_MISSING if the user lacks the permission or no longer sees the environment of the act. If the act names
 * none, they must see all that they saw.
 */
export function requestActor(user: User, origin: string, needed: Needed | undefined): Actor {
  const by = userActor(user, origin);
  return { ...by, requireStill: (tx, environmentId) => requireStill(tx, by, user, needed, environmentId) };
}

async function requireStill(
  db: Reader,
  by: Actor,
  before: User,
  needed: Needed | undefined,
  environmentId: number | undefined,
): Promise<void> {
  const now = await enabledUserOf(db, by);
  // A reset ends the API token and makes one of the same name, and a user may be disabled and enabled meanwhile.
  if (before.sessionId !== null && !(await goesOn(db, before.sessionId))) throw new Problem('TOKEN_INVALID');
  if (needed !== undefined && !mayAny(now.may, needed)) throw missingPermission(needed[0]);
  const touched = environmentId === undefined ? before.environmentIds : new Set([environmentId]);
  if (now.environmentIds === null || touched?.isSubsetOf(now.environmentIds)) return;
  throw new Problem('PERMISSION_MISSING', {
    detail: {
      en: 'You see fewer payment services than when you began: nothing was done. Look again at what you see.',
      es: 'Ves menos servicios de pago que cuando empezaste: no se hizo nada. Revisa lo que ves ahora.',
    },
  });
}

/** Returns whether a session, or the one that a proof has put in its place, is open. */
async function goesOn(db: Reader, sessionId: string): Promise<boolean> {
  return (await isSessionOpen(db, sessionId)) || (await selectSuccessor(db, sessionId)) !== null;
}

/**
 * Returns the actor's user as now in the store. Throws `Problem` PERSON_NEEDED if no user was named, or a program where
 * a person is needed; TOKEN_INVALID if the user is disabled or the API token was ended, because a process may know the
 * token for a moment longer, and a request may wait; PERMISSION_MISSING if the user lacks the permission or does not
 * see the environment.
 */
export async function requireUserOf(
  db: Reader,
  by: Actor,
  environmentId: number,
  permission: Permission,
): Promise<User> {
  const user = await enabledUserOf(db, by);
  if (OF_PEOPLE.includes(permission) && kindOfRole(user.role) === 'program') throw new Problem('PERSON_NEEDED');
  if (!user.may.has(permission)) throw missingPermission(permission);
  if (user.environmentIds?.has(environmentId) ?? true) return user;
  const command = '`bin/rubrica user payment-services USER --payment-service ID`';
  throw new Problem('PERMISSION_MISSING', {
    detail: {
      en: `The permission ${permission} counts where the user sees payments, and not in this environment. Ask a person who manages users: ${command} sets all that the user sees.`,
      es: `El permiso ${permission} vale donde el usuario ve pagos, y no en este ambiente. Pídelo a quien administra los usuarios: ${command} define todo lo que ve.`,
    },
    data: { permission },
  });
}

async function enabledUserOf(db: Reader, by: Actor): Promise<User> {
  const row = by.userId === null ? null : await selectUserById(db, by.userId);
  if (row === null) throw new Problem('PERSON_NEEDED');
  const token = tokenOf(by.name);
  const isEnded = token !== null && !(await hasOpenApiToken(db, row.id, token));
  if (row.disabled_at !== null || isEnded) throw new Problem('TOKEN_INVALID');
  return userOf(db, row);
}
