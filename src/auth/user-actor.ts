import type { Actor } from '../audit/actor.ts';
import type { Role } from './permission.ts';

/** A user as the audit log names it when it acts. `origin` is the network of the request. */
export function userActor(user: { id: string; email: string; role: Role }, origin: string): Actor {
  const kind = user.role === 'integration' ? 'program' : 'person';
  return { kind, name: user.email, userId: user.id, origin };
}
