import type { Database, SqlRow } from '../db/database.ts';

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

export async function callbackExists(db: Pick<Database, 'query'>, callbackId: number): Promise<boolean> {
  return (await db.query('select id from callbacks where id = $1', [callbackId])).length === 1;
}
