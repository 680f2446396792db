import type { Reader, SqlRow, Tx } from '../../db/database.ts';

/**
 * Times are UTC milliseconds. `expires_at` null: no expiry. `created_by` null: created before the creator was recorded.
 */
export type ApiTokenRow = SqlRow & {
  id: string;
  user_id: string;
  name: string;
  lookup: string;
  proof: string;
  created_at: number;
  created_by: string | null;
  expires_at: number | null;
  last_used_at: number | null;
  ended_at: number | null;
};

/** `disabled_at`: of the user. */
export type OwnedTokenRow = SqlRow &
  Pick<
    ApiTokenRow,
    'id' | 'user_id' | 'name' | 'created_at' | 'created_by' | 'expires_at' | 'last_used_at' | 'ended_at'
  > & {
    email: string;
    disabled_at: number | null;
  };

export async function insertApiToken(tx: Tx, row: ApiTokenRow): Promise<void> {
  await tx.query(
    `insert into api_tokens (id, user_id, name, lookup, proof, created_at, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.id, row.user_id, row.name, row.lookup, row.proof, row.created_at, row.created_by, row.expires_at],
  );
}

export async function selectApiTokenByLookup(db: Reader, lookup: string): Promise<ApiTokenRow | null> {
  const [row] = await db.query<ApiTokenRow>('select * from api_tokens where lookup = $1', [lookup]);
  return row ?? null;
}

export async function selectApiToken(db: Reader, id: string): Promise<ApiTokenRow | null> {
  const [row] = await db.query<ApiTokenRow>('select * from api_tokens where id = $1', [id]);
  return row ?? null;
}

/** Returns whether an API token has not ended, and locks it until the commit. */
export async function lockOpenApiToken(tx: Tx, id: string): Promise<boolean> {
  const sql = 'select id from api_tokens where id = $1 and ended_at is null {for_update}';
  return (await tx.query(sql, [id])).length === 1;
}

/** Returns whether a user has an API token with this name that nobody has ended. */
export async function hasOpenApiToken(db: Reader, userId: string, name: string): Promise<boolean> {
  const sql = 'select id from api_tokens where user_id = $1 and name = $2 and ended_at is null limit 1';
  return (await db.query(sql, [userId, name])).length === 1;
}

export function selectApiTokensOf(db: Reader, userId: string): Promise<ApiTokenRow[]> {
  return db.query<ApiTokenRow>('select * from api_tokens where user_id = $1 order by created_at, id', [userId]);
}

/** Returns all API tokens with their users, oldest first, without secrets. */
export function selectApiTokens(db: Reader): Promise<OwnedTokenRow[]> {
  return db.query<OwnedTokenRow>(
    `select t.id, t.user_id, u.email, u.disabled_at, t.name, t.created_at, t.created_by, t.expires_at, t.last_used_at, t.ended_at
     from api_tokens t join users u on u.id = t.user_id order by t.created_at, t.id`,
  );
}

/** The names of each user in records of acts: `nameWithToken` for an act with an API token, else the address. */
export const ACTING_NAMES = `(select id, email as name from users
  union select u.id, u.email || ' (token ' || used.name || ')' from api_tokens used join users u on u.id = used.user_id)`;

/**
 * Somebody who can act as a user from `made_at` on, with an API token or the password; `until` null: no end. `any_act`
 * (1 or 0): any act of the user may be theirs. Otherwise a person's act with an API token is recorded as such, except
 * who stored a recipient.
 */
export type TokenHolder = {
  user_id: string;
  holder_id: string;
  made_at: number;
  until: number | null;
  any_act: number;
};

/**
 * The maker of an API token or a password. `by_token` (1 or 0): a program made it, or an API token was used, so others
 * may know it too.
 */
export type MadeToken = TokenHolder & { by_token: number };

/**
 * The users who were programs, and until when; their acts until then are not a person's, whatever their role now. Found
 * by the action, which is rare: sign-ins of a user have the same subject in the audit log.
 */
const WERE_PROGRAMS = `(select r.subject as id, max(r.created_at) as until from audit_log r
    where r.action = 'user.role_set' and r.said_before like '%"role":"integration"%' group by r.subject)`;

/** The users who are programs (`until` null) or were. */
const PROGRAMS = `(select o.id, case when o.role = 'integration' then null else was.until end as until
    from users o left join ${WERE_PROGRAMS} was on was.id = o.id where o.role = 'integration' or was.id is not null)`;

/**
 * All credentials of a user that another user made; `created_by` is the maker's name, `until` null: no end. The maker
 * of a program saw its password with its first token, so the password works even after the token has ended. The same
 * holds for a password or a password link made for a program later. They count until the program gets the role of a
 * person, who chooses a new password.
 */
export const WAYS_IN = `(
  select t.user_id, t.created_by, t.created_at, coalesce(t.ended_at, t.expires_at) as until,
    case when o.role = 'integration' or t.last_used_at is not null
      or exists (select 1 from sessions s where s.api_token_id = t.id) then 1 else 0 end as any_act
  from api_tokens t join users o on o.id = t.user_id
  union all
  select t.user_id, t.created_by, t.created_at, p.until, 1
  from api_tokens t join users o on o.id = t.user_id and o.created_at = t.created_at join ${PROGRAMS} p on p.id = o.id
  where t.name = 'first'
  union all
  select i.user_id, i.created_by, i.created_at, p.until, 1
  from invitations i join ${PROGRAMS} p on p.id = i.user_id where i.used_at is not null
  union all
  select a.subject, a.actor, a.created_at, p.until, 1
  from audit_log a join ${PROGRAMS} p on p.id = a.subject
  where a.action = 'user.password_reset'
    and not exists (select 1 from invitations i where i.user_id = a.subject and i.created_at = a.created_at))`;

const BY_TOKEN = `(m.role = 'integration' or was.until >= w.created_at or u.name <> m.email)`;

const HOLDERS = `select w.user_id, u.id as holder_id, w.created_at as made_at, w.until, w.any_act,
       case when ${BY_TOKEN} then 1 else 0 end as by_token
     from ${WAYS_IN} w join ${ACTING_NAMES} u on u.name = w.created_by join users m on m.id = u.id
     left join ${WERE_PROGRAMS} was on was.id = m.id`;

/** Returns the people who made API tokens or passwords of these users. */
export function selectTokenHolders(db: Reader, userIds: readonly string[]): Promise<MadeToken[]> {
  return db.query<MadeToken>(`${HOLDERS} where w.user_id {named $1} and w.user_id <> u.id`, [userIds]);
}

/** Returns the tokens and passwords that a program made, or that were made with an API token: few, if any. */
export function selectTokensByTokens(db: Reader): Promise<MadeToken[]> {
  return db.query<MadeToken>(`${HOLDERS} where w.user_id <> u.id and ${BY_TOKEN}`);
}

/** Returns when each user last used an API token. */
export async function selectTokenUses(db: Reader): Promise<Map<string, number>> {
  const rows = await db.query<{ user_id: string; used_at: number }>(
    'select user_id, max(last_used_at) as used_at from api_tokens where last_used_at is not null group by user_id',
  );
  return new Map(rows.map(({ user_id, used_at }) => [user_id, used_at]));
}

/** Ends one API token of a user; `id` null: all of them. Returns those that it ended. */
export function updateApiTokensEnded(
  tx: Tx,
  userId: string,
  id: string | null,
  endedAt: number,
): Promise<ApiTokenRow[]> {
  return tx.query<ApiTokenRow>(
    "update api_tokens set ended_at = $3 where user_id = $1 and $2 in ('', id) and ended_at is null returning *",
    [userId, id ?? '', endedAt],
  );
}

export async function updateApiTokenUsed(tx: Tx, id: string, usedAt: number): Promise<void> {
  const sql = 'update api_tokens set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)';
  await tx.query(sql, [id, usedAt]);
}

/** Returns the users whose API token is still stored as an unkeyed hash. */
export function selectUnkeyedTokens(tx: Tx): Promise<{ id: string; api_token_hash: string; created_at: number }[]> {
  return tx.query('select id, api_token_hash, created_at from users where api_token_hash <> id order by id');
}

export async function updateTokenKeyed(tx: Tx, userId: string): Promise<void> {
  await tx.query('update users set api_token_hash = id where id = $1', [userId]);
}

export async function hasApiTokens(tx: Tx): Promise<boolean> {
  return (await tx.query('select id from api_tokens limit 1')).length > 0;
}
