import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Tx } from '../../db/database.ts';
import { requireManager } from '../manage-rule.ts';
import { normalizeEmail } from '../user.ts';
import { lockUser, selectUserByIdOrEmail, updateTokenVersion } from '../user-queries.ts';
import {
  type SessionRow,
  selectSession,
  selectSuccessor,
  updateOtherSessionsEnded,
  updateSessionEnded,
  updateSessionsEnded,
} from './session-queries.ts';

/**
 * Ends a session by its id, or the one that a proof has put in its place meanwhile; its access token fails within a
 * second. Returns `already` if it had ended before. `managerId`: the user who must be allowed to manage its user, or is
 * that user; null: nobody is checked. Throws `Problem` `MORE_THAN_YOURS`.
 */
export function endSession(
  app: App,
  id: string,
  by: Actor,
  managerId: string | null = null,
): Promise<'ended' | 'already' | 'unknown'> {
  return app.db.transaction(async (tx) => {
    const owner = managerId === null ? undefined : (await selectSession(tx, id))?.user_id;
    if (owner !== undefined && managerId !== null && managerId !== owner) await requireManager(tx, managerId, owner);
    const at = app.now();
    const ended = await endWithSuccessor(tx, id, at);
    if (ended === null) return (await selectSession(tx, id)) === null ? 'unknown' : 'already';
    const { user_id: user, kind } = ended;
    const subject = { kind: 'session', id: ended.id };
    await recordAudit(tx, { at, by, action: 'user.session_ended', subject, before: { user, kind } });
    return 'ended';
  });
}

async function endWithSuccessor(tx: Tx, id: string, at: number): Promise<SessionRow | null> {
  const ended = await updateSessionEnded(tx, id, at);
  const next = ended === null ? await selectSuccessor(tx, id) : null;
  return next === null ? ended : endWithSuccessor(tx, next, at);
}

/** Ends all sessions of a user except `kept`. */
export function endOtherSessions(app: App, userId: string, kept: string, by: Actor): Promise<void> {
  return app.db.transaction(async (tx) => {
    // Without the lock a session that a proof replaces at this moment would go on.
    await lockUser(tx, userId);
    const at = app.now();
    const ended = await updateOtherSessionsEnded(tx, userId, kept, at);
    if (ended === 0) return;
    const subject = { kind: 'user', id: userId };
    await recordAudit(tx, { at, by, action: 'user.session_ended', subject, after: { sessions: ended } });
  });
}

/**
 * Ends all sessions of a user, and access tokens from before sessions existed. Returns the number of sessions; null if
 * there is no such user. `managerId` as for `disableUser`.
 */
export function endSessionsOf(
  app: App,
  user: string,
  by: Actor,
  managerId: string | null = null,
): Promise<number | null> {
  return app.db.transaction(async (tx) => {
    const row = await selectUserByIdOrEmail(tx, normalizeEmail(user));
    if (row === null) return null;
    if (managerId !== null) await requireManager(tx, managerId, row.id);
    const at = app.now();
    await updateTokenVersion(tx, row.id);
    const ended = await updateSessionsEnded(tx, row.id, null, at);
    const subject = { kind: 'user', id: row.id };
    await recordAudit(tx, { at, by, action: 'user.session_ended', subject, after: { sessions: ended } });
    return ended;
  });
}
