import type { App } from '../../app.ts';
import { normalizeEmail } from '../user.ts';
import { selectUserByIdOrEmail } from '../user-queries.ts';
import { isIdle } from './session.ts';
import { type SessionRow, selectSession, selectSessionsOf } from './session-queries.ts';

/**
 * Lists the valid sessions of a user, newest first: log-ins, and access tokens made with an API token. Returns null if
 * there is no such user.
 */
export async function listSessions(app: App, user: string): Promise<SessionRow[] | null> {
  const row = await selectUserByIdOrEmail(app.db, normalizeEmail(user));
  if (row === null) return null;
  return (await selectSessionsOf(app.db, row.id, app.now())).filter((session) => !isIdle(app, session));
}

/** Returns the id of the session's user, also of an ended session; null if there is no such session. */
export async function findSessionOwner(app: App, id: string): Promise<string | null> {
  return (await selectSession(app.db, id))?.user_id ?? null;
}
