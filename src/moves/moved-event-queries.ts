import type { Reader, SqlRow, Tx } from '../db/database.ts';
import { EVENT_COLUMNS, insertEvents } from '../outbox/feed/feed-queries.ts';

/** An event without its place in a feed. */
export type MovedEvent = SqlRow & {
  environment_id: number;
  transaction_id: number | null;
  sequence: number | null;
  created_at: number;
  type: string;
  user_id: string | null;
  data: string | null;
};

export type PlacedEvent = MovedEvent & { commit_id: number; position: number };

/**
 * Lists the events of some environments after a place in the feed. `past`: only events that no later commit can
 * precede. `all`: also the newer ones, once nothing more is written for these environments.
 */
export function selectEventsOf(
  db: Reader,
  environmentIds: readonly number[],
  after: { commit_id: number; position: number },
  limit: number,
  which: 'past' | 'all',
): Promise<PlacedEvent[]> {
  return db.query<PlacedEvent>(
    `select position, commit_id, ${EVENT_COLUMNS.join(', ')} from events
     where ${which === 'all' ? '{after_place}' : '{after_cursor}'} and environment_id {among $3}
     order by {feed_order} limit $4`,
    [after.commit_id, after.position, environmentIds, limit],
  );
}

/** Appends events to this feed, in order. */
export async function appendEvents(tx: Tx, rows: readonly MovedEvent[]): Promise<void> {
  const plain = rows.map((row) => Object.fromEntries(EVENT_COLUMNS.map((column) => [column, row[column]])));
  await insertEvents(tx, plain);
}
