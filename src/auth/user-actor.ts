import type { Actor } from '../audit/actor.ts';
import { nameWithToken } from '../audit/actor.ts';
import { kindOfRole, type Role } from './permission.ts';

/**
 * `token`: the name of the API token in use; null or absent for a person at the console and for a log-in with the
 * password.
 */
type Acting = { id: string; email: string; role: Role; token?: string | null };

/** Returns a user as records and the audit log name the actor. `origin`: the network of the request. */
export function userActor({ id, email, role, token = null }: Acting, origin: string): Actor {
  return { kind: kindOfRole(role), name: token === null ? email : nameWithToken(email, token), userId: id, origin };
}
