import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { prefixedId } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import { updateApiTokenUsed } from './api-token-queries.ts';
import { hasFactor } from './factors/factor-queries.ts';
import {
  deleteOldSessions,
  insertSession,
  type SessionRow,
  updateSessionEnded,
  updateSessionUsed,
} from './session-queries.ts';

export type NewSession = Pick<SessionRow, 'user_id' | 'kind' | 'api_token_id' | 'origin' | 'expires_at'> & {
  proved_at?: number | null;
};

/** Begins a session in the caller's commit. */
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
 * Puts a new session with the same end in the place of one in which the person has proved who they are, with a second factor or the
 * password: what was known of the earlier one is worth nothing then. Null: it had ended meanwhile, be it by another proof.
 */
export async function renewSession(
  tx: Tx,
  session: SessionRow,
  proof: 'factor' | 'password',
  now: number,
): Promise<SessionRow | null> {
  if ((await updateSessionEnded(tx, session.id, now)) === null) return null;
  const { user_id, kind, api_token_id, origin, expires_at } = session;
  // Once the last factor is removed the password counts, from now on.
  const kept = proof === 'password' && (await hasFactor(tx, user_id)) ? session.proved_at : null;
  const proved_at = proof === 'factor' ? now : kept;
  return beginSession(tx, { user_id, kind, api_token_id, origin, expires_at, proved_at }, now);
}

/** Whether an access token says the id of a session; older ones say random characters. */
export function isSessionId(text: string): boolean {
  return /^ses_[0-9a-z]{20}$/.test(text);
}

const pending = perInstance((_app: App) => new Map<string, { usedAt: number; apiTokenId: string | null }>());

/** Remembers that a session was used. In memory: a request writes nothing for it. */
export function noteSessionUse(
  app: App,
  { id, api_token_id: apiTokenId }: Pick<SessionRow, 'id' | 'api_token_id'>,
): void {
  pending(app).set(id, { usedAt: app.now(), apiTokenId });
}

/**
 * Whether a session of the console was without a click for CONSOLE_IDLE_MINUTES: then it no longer lets anybody in. What other processes
 * have seen of it is stored within seconds.
 */
export function isIdle(app: App, { id, kind, created_at, last_used_at }: SessionRow): boolean {
  if (kind !== 'console') return false;
  const last = Math.max(created_at, last_used_at ?? 0, pending(app).get(id)?.usedAt ?? 0);
  return app.now() - last >= app.config.consoleIdleMinutes * 60_000;
}

/** Stores what was remembered since the last call; the worker calls it. */
export async function storeSessionUse(app: App): Promise<void> {
  const uses = [...pending(app)];
  if (uses.length === 0) return;
  pending(app).clear();
  const tokens = new Map<string, number>();
  await app.db.transaction(async (tx) => {
    for (const [id, { usedAt, apiTokenId }] of uses.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      await updateSessionUsed(tx, id, usedAt);
      if (apiTokenId !== null) tokens.set(apiTokenId, Math.max(usedAt, tokens.get(apiTokenId) ?? 0));
    }
    for (const id of [...tokens.keys()].sort()) await updateApiTokenUsed(tx, id, tokens.get(id) as number);
  });
}

const KEPT_AFTER_END_MS = 24 * 60 * 60_000;

/** Forgets sessions that ended by their time a day ago, and answers how many. */
export function forgetSessions(app: App, limit: number): Promise<number> {
  return app.db.transaction((tx) => deleteOldSessions(tx, app.now() - KEPT_AFTER_END_MS, limit));
}
