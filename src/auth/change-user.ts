import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { updateInvitationsEnded } from './invitations/invitation-queries.ts';
import { requireManager } from './manage-rule.ts';
import { updateSessionsEnded } from './sign-in/session-queries.ts';
import { normalizeEmail } from './user.ts';
import { lockUser, selectUserByIdOrEmail, updateUserDisabled, updateUserEnabled } from './user-queries.ts';

type Outcome = 'changed' | 'already' | 'unknown';

/**
 * Disables a user (an id or an e-mail address): log-ins and access tokens fail within a second on every replica, and
 * unused links end. Returns `already` if the user was disabled before; the time stays. `managerId`: the user who must
 * be allowed to manage this user; null: the command line. Throws `Problem` `MORE_THAN_YOURS`.
 */
export function disableUser(app: App, user: string, by: Actor, managerId: string | null = null): Promise<Outcome> {
  return change(app, user, 'user.disabled', by, managerId);
}

/**
 * Enables a user. Access tokens from before stay revoked. A disabled user never enables themselves. Returns `already`
 * if the user was enabled. `managerId` and `MORE_THAN_YOURS` as for `disableUser`.
 */
export function enableUser(app: App, user: string, by: Actor, managerId: string | null = null): Promise<Outcome> {
  return change(app, user, 'user.enabled', by, managerId);
}

function change(
  app: App,
  user: string,
  action: 'user.disabled' | 'user.enabled',
  by: Actor,
  managerId: string | null,
): Promise<Outcome> {
  const name = normalizeEmail(user);
  return app.db.transaction<Outcome>(async (tx) => {
    const at = app.now();
    const found = await selectUserByIdOrEmail(tx, name);
    if (found !== null && managerId !== null) await requireManager(tx, managerId, found.id);
    // Checked before the change: `recordAudit` would find a user who was disabled meanwhile enabled again.
    if (action === 'user.enabled' && found !== null && by.userId === found.id) {
      await lockUser(tx, found.id);
      await by.requireStill?.(tx);
    }
    const row = await (action === 'user.disabled' ? updateUserDisabled(tx, name, at) : updateUserEnabled(tx, name));
    if (row === null) return found === null ? 'unknown' : 'already';
    const { id } = row;
    await updateSessionsEnded(tx, id, null, at);
    if (action === 'user.disabled') await updateInvitationsEnded(tx, id, at);
    const actor = action === 'user.disabled' && by.userId === id ? unchecked(by) : by;
    await recordAudit(tx, { at, by: actor, action, subject: { kind: 'user', id } });
    return 'changed';
  });
}

/** Returns the actor who disables themselves without the check of `recordAudit`, which would find them disabled. */
function unchecked({ kind, name, userId, origin }: Actor): Actor {
  return { kind, name, userId, origin };
}
