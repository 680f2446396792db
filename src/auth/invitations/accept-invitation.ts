import type { App } from '../../app.ts';
import { countAct } from '../../audit/count-acts.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { hashPassword } from '../sign-in/password.ts';
import { passwordProver, saidPassword } from '../sign-in/password-proof.ts';
import { beginSession } from '../sign-in/session.ts';
import { updateSessionsEnded } from '../sign-in/session-queries.ts';
import { type AccessToken, issueAccessToken } from '../tokens/access-token.ts';
import { userActor } from '../user-actor.ts';
import { lockUser, selectUserById, type UserRow, updatePasswordHash, updateSignedIn } from '../user-queries.ts';
import { type InvitationRow, selectInvitationByHash, updateInvitationUsed } from './invitation-queries.ts';
import { invitationHash } from './invite-user.ts';

const SESSION_MS = 24 * 60 * 60_000;

/** A valid link with its user. */
export type OpenInvitation = { invitation: InvitationRow; user: UserRow };

/** Returns the link of this token; null if it is unknown, used, ended or expired, or if its user is disabled. */
export async function findInvitation(app: App, token: string): Promise<OpenInvitation | null> {
  if (!/^[\w-]{32}$/.test(token)) return null;
  const invitation = await selectInvitationByHash(app.db, await invitationHash(app, token));
  if (invitation === null || invitation.used_at !== null || invitation.ended_at !== null) return null;
  if (invitation.expires_at <= app.now()) return null;
  if (invitation.kind === 'sign_in' && app.config.mode !== 'development') return null;
  const user = await selectUserById(app.db, invitation.user_id);
  return user === null || user.disabled_at !== null ? null : { invitation, user };
}

/**
 * Uses up a link and begins a session at the console without a proven second factor. `password`: the person's choice,
 * already checked for strength; null for a sign-in link. Returns null if the link was used, ended or expired meanwhile.
 */
export async function acceptInvitation(
  app: App,
  { invitation, user }: OpenInvitation,
  { password, address }: { password: string | null; address: string },
): Promise<AccessToken | null> {
  const origin = clientNetwork(address);
  const by = userActor(user, origin);
  const hash = password === null ? null : await hashPassword(password);
  const prove = await passwordProver(app);
  const session = await app.db.transaction(async (tx) => {
    const at = app.now();
    // Like a reset, this locks the user before the link.
    await lockUser(tx, user.id);
    if (!(await updateInvitationUsed(tx, invitation.id, at))) return null;
    const changed = hash === null ? null : await updatePasswordHash(tx, user.id, hash, prove);
    if (changed !== null) await updateSessionsEnded(tx, user.id, null, at);
    const begun = {
      user_id: user.id,
      kind: 'console',
      api_token_id: null,
      origin,
      expires_at: at + SESSION_MS,
    } as const;
    await updateSignedIn(tx, { id: user.id, password_hash: hash ?? user.password_hash }, at);
    const made = await beginSession(tx, begun, at);
    const subject = { kind: 'invitation', id: invitation.id };
    const after = changed === null ? null : saidPassword(changed);
    await recordAudit(tx, { at, by, action: 'user.invitation_accepted', subject, after });
    return made;
  });
  if (session === null) return null;
  countAct(app, { by, action: 'user.signed_in', subject: { kind: 'user', id: user.id } });
  return issueAccessToken(app, session);
}
