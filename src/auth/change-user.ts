import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { updateInvitationsEnded } from './invitations/invitation-queries.ts';
import { updateSessionsEnded } from './session-queries.ts';
import { normalizeEmail } from './user.ts';
import { selectUserByIdOrEmail, updateUserDisabled, updateUserEnabled } from './user-queries.ts';

type Outcome = 'changed' | 'already' | 'unknown';

/**
 * From now on the user cannot log in and every access token fails, within a second on every replica; links that nobody has used end.
 * `user` is an id or an e-mail address. `already`: it was disabled before, and stays so since then.
 */
export function disableUser(app: App, user: string, by: Actor): Promise<Outcome> {
  return change(app, user, 'user.disabled', by);
}

/** The user can log in again, as before. Access tokens of before stay revoked. `already`: it was enabled. */
export function enableUser(app: App, user: string, by: Actor): Promise<Outcome> {
  return change(app, user, 'user.enabled', by);
}

function change(app: App, user: string, action: 'user.disabled' | 'user.enabled', by: Actor): Promise<Outcome> {
  const name = normalizeEmail(user);
  return app.db.transaction<Outcome>(async (tx) => {
    const at = app.now();
    const row = await (action === 'user.disabled' ? updateUserDisabled(tx, name, at) : updateUserEnabled(tx, name));
    if (row === null) return (await selectUserByIdOrEmail(tx, name)) === null ? 'unknown' : 'already';
    const { id } = row;
    await updateSessionsEnded(tx, id, null, at);
    if (action === 'user.disabled') await updateInvitationsEnded(tx, id, at);
    await recordAudit(tx, { at, by, action, subject: { kind: 'user', id } });
    return 'changed';
  });
}
