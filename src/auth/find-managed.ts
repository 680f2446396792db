import type { App } from '../app.ts';
import { describeRights } from './describe-rights.ts';
import { type Held, heldBy, isSeenBy, whyNotManaged } from './manage-rule.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByIdOrEmail } from './user-queries.ts';

/** `refusal`: why the manager may not change this user. */
export type Managed = { id: string; email: string; refusal: ReturnType<typeof whyNotManaged> };

/**
 * Returns a user (an id or an e-mail address) for somebody who manages users; null if the user does not exist or the
 * manager does not see them.
 */
export async function findManaged(app: App, managerId: string, user: string): Promise<Managed | null> {
  const row = await selectUserByIdOrEmail(app.db, normalizeEmail(user));
  if (row === null) return null;
  const { id, email } = row;
  const manager = { id: managerId, ...(await heldBy(app.db, managerId)) };
  const [rights] = await describeRights(app.db, [row]);
  const held = rights as Held;
  if (id !== managerId && !isSeenBy(manager, held)) return null;
  return { id, email, refusal: whyNotManaged(manager, { ...held, id }) };
}
