import type { Reader, SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { CallbackState } from './callback-state.ts';

export type ListedAttempt = SqlRow & {
  started_at: number;
  duration_ms: number;
  status: number | null;
  failure: string | null;
  location: string | null;
  excerpt: string | null;
};

/** Returns all stored delivery attempts of a callback, oldest first. */
export function selectDeliveryAttempts(db: Reader, callback: RowKey<number>): Promise<ListedAttempt[]> {
  return db.query<ListedAttempt>(
    `select started_at, duration_ms, status, failure, location, excerpt from delivery_attempts
     where callback_id = $1 and environment_id = $2 order by id`,
    [callback.id, callback.environment_id],
  );
}

/** A callback as every reader sees it, with its owner. */
export type OwnedCallback = SqlRow & {
  id: number;
  environment_id: number;
  transaction_id: number;
  payment_service: string;
  name: string;
  environment: string;
  webhook_id: string;
  content_type: string;
  state: CallbackState;
  created_at: number;
  next_attempt_at: number;
  /** The end of the lease, if somebody attempts it. */
  leased_until: number | null;
  finished_at: number | null;
  url: string;
  /** Since when its endpoint fails; null: it does not. */
  failing_since: number | null;
};

/** `returned_at`: when the payer's browser got the same result to bring to the shop. */
export type StoredCallback = OwnedCallback & { returned_at: number | null; body: string };

/** The end of the lease of `callbacks c`; null: nobody has claimed it. */
export const LEASED_UNTIL = `case when c.state = 'queued' and c.lease is not null then c.next_attempt_at end as leased_until`;

export const OWNED_CALLBACK = `c.id, c.environment_id, c.transaction_id, e.payment_service_id as payment_service, s.name, e.environment,
  c.webhook_id, c.content_type, c.state, c.created_at, c.next_attempt_at, ${LEASED_UNTIL}, c.finished_at, c.url, p.failing_since`;

export const FROM_OWNED_CALLBACKS = `from callbacks c
  join endpoints p on p.id = c.endpoint_id and p.environment_id = c.environment_id
  join environments e on e.id = c.environment_id
  join payment_services s on s.id = e.payment_service_id`;

/** Returns a callback by its id, of any environment. */
export async function selectCallback(db: Reader, id: number): Promise<StoredCallback | null> {
  const [row] = await db.query<StoredCallback>(
    `select ${OWNED_CALLBACK}, c.returned_at, c.body ${FROM_OWNED_CALLBACKS} where c.id = $1`,
    [id],
  );
  return row ?? null;
}
