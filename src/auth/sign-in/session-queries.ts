import type { Reader, SqlRow, Tx } from '../../db/database.ts';

/** How a session began: with a password, with an API token, or at the console. */
type SessionKind = 'password' | 'api_token' | 'console';

/** Times are UTC milliseconds. */
export type SessionRow = SqlRow & {
  id: string;
  user_id: string;
  kind: SessionKind;
  api_token_id: string | null;
  origin: string | null;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  proved_at: number | null;
  ended_at: number | null;
};

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.query(
    `insert into sessions (id, user_id, kind, api_token_id, origin, created_at, expires_at, proved_at, after_link)
     values ($1, $2, $3, $4, $5, $6, $7, $8, (select link from audit_head where id = 1))`,
    [row.id, row.user_id, row.kind, row.api_token_id, row.origin, row.created_at, row.expires_at, row.proved_at],
  );
}

export async function selectSession(db: Reader, id: string): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>('select * from sessions where id = $1', [id]);
  return row ?? null;
}

/** Returns whether a session has not been ended. */
export async function isSessionOpen(db: Reader, id: string): Promise<boolean> {
  return (await db.query('select id from sessions where id = $1 and ended_at is null', [id])).length === 1;
}

/** Returns a session with the name of its API token; null: no API token. */
export async function selectSessionWithToken(
  db: Reader,
  id: string,
): Promise<(SessionRow & { token: string | null }) | null> {
  const [row] = await db.query<SessionRow & { token: string | null }>(
    'select s.*, t.name as token from sessions s left join api_tokens t on t.id = s.api_token_id where s.id = $1',
    [id],
  );
  return row ?? null;
}

/** Returns the newest session of an API token that began after `since` and expires between the two times. */
export async function selectSessionToShare(
  db: Reader,
  apiTokenId: string,
  since: number,
  ends: { from: number; to: number },
): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>(
    `select * from sessions where api_token_id = $1 and created_at > $2 and ended_at is null
       and expires_at >= $3 and expires_at <= $4
     order by created_at desc limit 1`,
    [apiTokenId, since, ends.from, ends.to],
  );
  return row ?? null;
}

/** Returns the sessions of a user that are valid at `now`, newest first. */
export function selectSessionsOf(db: Reader, userId: string, now: number): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `select * from sessions where user_id = $1 and ended_at is null and expires_at > $2
     order by created_at desc, id`,
    [userId, now],
  );
}

/** Ends a session. Returns null if it had ended before. */
export async function updateSessionEnded(tx: Tx, id: string, endedAt: number): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(
    'update sessions set ended_at = $2 where id = $1 and ended_at is null returning *',
    [id, endedAt],
  );
  return row ?? null;
}

/**
 * Returns the id of the open session that proofs have put in the place of an ended one of the console
 * (`renewSession`): it has the same expiry, and began when that one ended, or later. Null: none. Sessions of an API
 * token may all have its expiry.
 */
export async function selectSuccessor(db: Reader, id: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select next.id from sessions s join sessions next on next.user_id = s.user_id and next.kind = s.kind
       and next.expires_at = s.expires_at and next.created_at >= s.ended_at and next.id <> s.id
     where s.id = $1 and s.kind = 'console' and next.ended_at is null`,
    [id],
  );
  return row?.id ?? null;
}

/** Ends all sessions of a user, or only the sessions of one API token. Returns how many. */
export async function updateSessionsEnded(
  tx: Tx,
  userId: string,
  apiTokenId: string | null,
  endedAt: number,
): Promise<number> {
  const rows = await tx.query(
    `update sessions set ended_at = $3 where user_id = $1 and ended_at is null and ($2 = '' or api_token_id = $2)
     returning id`,
    [userId, apiTokenId ?? '', endedAt],
  );
  return rows.length;
}

/** Ends all sessions of a user except one. Returns how many. */
export async function updateOtherSessionsEnded(tx: Tx, userId: string, kept: string, endedAt: number): Promise<number> {
  const rows = await tx.query(
    'update sessions set ended_at = $3 where user_id = $1 and id <> $2 and ended_at is null returning id',
    [userId, kept, endedAt],
  );
  return rows.length;
}

export async function updateSessionUsed(tx: Tx, id: string, usedAt: number): Promise<void> {
  const sql = 'update sessions set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)';
  await tx.query(sql, [id, usedAt]);
}

/** Deletes sessions that expired before `before`, at most `limit`. Returns how many. */
export async function deleteOldSessions(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from sessions where id in (select id from sessions where expires_at < $1 order by expires_at limit $2)
     returning id`,
    [before, limit],
  );
  return rows.length;
}
