import type { Database, SqlRow, Tx } from '../db/database.ts';
import type { CallbackState } from './callback-state.ts';
import type { CallbackKey } from './old-callback-queries.ts';

type Reader = Pick<Database, 'query'>;

export type PersonalCallback = SqlRow & {
  id: number;
  environment_id: number;
  transaction_id: number;
  created_at: number;
  state: CallbackState;
  url: string;
  body: string;
};

/** The next callbacks, in the order of their ids, whose address or body is `like`. Looks through the whole table. */
export function selectPersonalCallbacks(
  db: Reader,
  like: string,
  afterId: number,
  limit: number,
): Promise<PersonalCallback[]> {
  return db.query<PersonalCallback>(
    `select id, environment_id, transaction_id, created_at, state, url, body from callbacks
     where id > $2 and lower(url || ' ' || body) like $1 escape '!' order by id limit $3`,
    [like, afterId, limit],
  );
}

/** Only of one that has its end, so that nothing is posted elsewhere. Answers whether it was changed. */
export async function updateCallbackUrl(tx: Tx, { id, environment_id }: CallbackKey, url: string): Promise<boolean> {
  const rows = await tx.query(
    `update callbacks set url = $3 where id = $1 and environment_id = $2 and state <> 'queued' returning id`,
    [id, environment_id, url],
  );
  return rows.length === 1;
}

export type PersonalAttempt = SqlRow & {
  id: number;
  environment_id: number;
  callback_id: number;
  started_at: number;
  location: string | null;
  excerpt: string | null;
};

/** The next delivery attempts, in the order of their ids, whose answer is `like`. Looks through the whole table. */
export function selectPersonalAttempts(
  db: Reader,
  like: string,
  afterId: number,
  limit: number,
): Promise<PersonalAttempt[]> {
  return db.query<PersonalAttempt>(
    `select id, environment_id, callback_id, started_at, location, excerpt from delivery_attempts
     where id > $2 and lower(coalesce(location, '') || ' ' || coalesce(excerpt, '')) like $1 escape '!'
     order by id limit $3`,
    [like, afterId, limit],
  );
}

export async function updateAttemptTexts(tx: Tx, row: PersonalAttempt): Promise<void> {
  await tx.query('update delivery_attempts set location = $3, excerpt = $4 where id = $1 and environment_id = $2', [
    row.id,
    row.environment_id,
    row.location,
    row.excerpt,
  ]);
}
