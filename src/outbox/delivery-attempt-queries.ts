import type { Database, SqlRow } from '../db/database.ts';
import type { CallbackState } from './callback-state.ts';

export type ListedAttempt = SqlRow & {
  started_at: number;
  duration_ms: number;
  status: number | null;
  failure: string | null;
  excerpt: string | null;
};

/** Every attempt to deliver a callback, the first first. */
export function selectDeliveryAttempts(db: Pick<Database, 'query'>, callbackId: number): Promise<ListedAttempt[]> {
  return db.query<ListedAttempt>(
    `select started_at, duration_ms, status, failure, excerpt from delivery_attempts
     where callback_id = $1 order by id`,
    [callbackId],
  );
}

export type StoredCallback = SqlRow & {
  id: number;
  transaction_id: number;
  webhook_id: string;
  state: CallbackState;
  created_at: number;
  next_attempt_at: number;
  finished_at: number | null;
  url: string;
  content_type: string;
  body: string;
};

export async function selectCallback(db: Pick<Database, 'query'>, id: number): Promise<StoredCallback | null> {
  const [row] = await db.query<StoredCallback>(
    `select id, transaction_id, webhook_id, state, created_at, next_attempt_at, finished_at, url, content_type, body
     from callbacks where id = $1`,
    [id],
  );
  return row ?? null;
}
