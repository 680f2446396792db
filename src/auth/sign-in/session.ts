import type { App } from '../../app.ts';
import type { Tx } from '../../db/database.ts';
import { prefixedId } from '../../lib/ids.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { hasFactor } from '../factors/factor-queries.ts';
import { lockOpenApiToken, updateApiTokenUsed } from '../tokens/api-token-queries.ts';
import { lockUser } from '../user-queries.ts';
import {
  deleteOldSessions,
  insertSession,
  isSessionOpen,
  type SessionRow,
  updateSessionEnded,
  updateSessionUsed,
} from './session-queries.ts';

export type NewSession = Pick<SessionRow, 'user_id' | 'kind' | 'api_token_id' | 'origin' | 'expires_at'> & {
  proved_at?: number | null;
};

/** Begins a session in the caller's transaction. */
export async function beginSession(tx: Tx, session: NewSession, now: number): Promise<SessionRow> {
  const row: SessionRow = {
    proved_at: null,
    ...session,
    id: prefixedId('ses'),
    created_at: now,
    last_used_at: null,
    ended_at: null,
  };
  await insertSession(tx, row);
  return row;
}

/**
 * Replaces a session after a proof of the person's identity, with a second factor or the password. The new session has
 * the same expiry; the old token stops working. Returns null if the old session had already ended, for example after
 * another proof.
 */
export async function renewSession(
  tx: Tx,
  session: SessionRow,
  proof: 'factor' | 'password',
  now: number,
): Promise<SessionRow | null> {
  // An act that ends all sessions of the user locks the user too. The end of an API token locks the token. Without the
  // locks the act would miss the new session.
  await lockUser(tx, session.user_id);
  if (session.api_token_id !== null && !(await lockOpenApiToken(tx, session.api_token_id))) return null;
  if ((await updateSessionEnded(tx, session.id, now)) === null) return null;
  const { user_id, kind, api_token_id, origin, expires_at } = session;
  // Without a factor `proved_at` is null, so that the password counts from now.
  const kept = proof === 'password' && (await hasFactor(tx, user_id)) ? session.proved_at : null;
  const proved_at = proof === 'factor' ? now : kept;
  return beginSession(tx, { user_id, kind, api_token_id, origin, expires_at, proved_at }, now);
}

/** A session as its person shows it: `proved_at` is the signed time. */
export type ShownSession = Pick<SessionRow, 'id' | 'proved_at'>;

/**
 * Returns whether a session may change the second factors of its user, whom the caller has locked: it is open, and a
 * factor that the user has by now was proved in it.
 */
export async function mayChangeFactors(tx: Tx, { id, proved_at }: ShownSession, userId: string): Promise<boolean> {
  return (await isSessionOpen(tx, id)) && (proved_at !== null || !(await hasFactor(tx, userId)));
}

/** Returns whether an access token's `jti` is the id of a session; older tokens have random characters there. */
export function isSessionId(text: string): boolean {
  return /^ses_[0-9a-z]{20}$/.test(text);
}

const pending = perInstance((_app: App) => new Map<string, { usedAt: number; apiTokenId: string | null }>());

/** Notes the use of a session in memory, so that a request writes nothing. */
export function noteSessionUse(
  app: App,
  { id, api_token_id: apiTokenId }: Pick<SessionRow, 'id' | 'api_token_id'>,
): void {
  pending(app).set(id, { usedAt: app.now(), apiTokenId });
}

/**
 * Returns whether a session of the console has had no click for CONSOLE_IDLE_MINUTES and is therefore invalid. Clicks
 * that other processes noted are in the store within seconds.
 */
export function isIdle(app: App, { id, kind, created_at, last_used_at }: SessionRow): boolean {
  if (kind !== 'console') return false;
  const last = Math.max(created_at, last_used_at ?? 0, pending(app).get(id)?.usedAt ?? 0);
  // A clock that was far ahead has noted later clicks: they keep nothing open until that time.
  return Math.abs(app.now() - last) >= app.config.consoleIdleMinutes * 60_000;
}

/** Stores the uses noted since the last call; the worker calls it. */
export async function storeSessionUse(app: App): Promise<void> {
  const uses = [...pending(app)];
  if (uses.length === 0) return;
  const tokens = new Map<string, number>();
  for (const [, { usedAt, apiTokenId }] of uses) {
    if (apiTokenId !== null) tokens.set(apiTokenId, Math.max(usedAt, tokens.get(apiTokenId) ?? 0));
  }
  await app.db.transaction(async (tx) => {
    // Tokens before sessions, as where they end.
    for (const id of [...tokens.keys()].sort()) await updateApiTokenUsed(tx, id, tokens.get(id) as number);
    for (const [id, { usedAt }] of uses.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await updateSessionUsed(tx, id, usedAt);
    }
  });
  // After the commit, so that the next call stores what a failed one did not. A later use stays.
  for (const [id, use] of uses) if (pending(app).get(id) === use) pending(app).delete(id);
}

const KEPT_AFTER_END_MS = 24 * 60 * 60_000;

/** Deletes sessions that expired more than a day ago, at most `limit`. Returns how many. */
export function forgetSessions(app: App, limit: number): Promise<number> {
  return app.db.transaction((tx) => deleteOldSessions(tx, app.now() - KEPT_AFTER_END_MS, limit));
}
