import type { Reader, SqlRow, Tx } from '../../db/database.ts';
import { listsOf, type RowKey } from '../../db/row-key.ts';

/** Returns the endpoints with this address, by id: of the environments that a user sees, without `excluded` ones. */
export function selectEndpointsOfUser(
  db: Reader,
  { userId, address, excluded }: { userId: string; address: string; excluded: ReadonlySet<number> },
): Promise<RowKey<number>[]> {
  return db.query<SqlRow & RowKey<number>>(
    `select p.id, p.environment_id from users u cross join environments e cross join endpoints p
     where u.id = $1 and (u.all_payment_services = 1 or exists (
         select 1 from user_payment_services g where g.user_id = u.id and g.payment_service_id = e.payment_service_id))
       and not (e.id {among $3}) and p.environment_id = e.id and p.address = $2
     order by p.id`,
    [userId, address, [...excluded]],
  );
}

/** Returns the endpoint of an environment with this address, if there is one. */
export function selectEndpointsAt(db: Reader, environmentId: number, address: string): Promise<RowKey<number>[]> {
  return db.query<SqlRow & RowKey<number>>(
    'select id, environment_id from endpoints where environment_id = $1 and address = $2',
    [environmentId, address],
  );
}

/** Locks endpoints until the commit, by id: before rows of callbacks, in the order of `recordAttempts`. */
export async function lockEndpoints(tx: Tx, endpoints: readonly RowKey<number>[]): Promise<void> {
  await tx.query(
    'select id from endpoints where id {among $1} and environment_id {among $2} order by id {for_update}',
    listsOf(endpoints),
  );
}

/**
 * Enables endpoints that responded 410, unless they keep back callbacks of others than these subscriptions (`eventsOf`:
 * than the events URL), such as the shop's: a person must still see that these were not sent. The condition on the
 * state repeats the index.
 */
export async function enableEndpoints(
  tx: Tx,
  own: { endpoints: readonly RowKey<number>[]; subscriptions: readonly string[]; eventsOf: number | null },
): Promise<void> {
  await tx.query(
    `update endpoints set disabled_at = null
     where id {among $1} and environment_id {among $2} and disabled_at is not null and not exists (
       select 1 from callbacks c where c.endpoint_id = endpoints.id and c.environment_id = endpoints.environment_id
         and c.state in ('redirected', 'superseded', 'dead', 'disabled') and c.state = 'disabled'
         and c.finished_at >= endpoints.disabled_at and not exists (
           select 1 from webhook_subscriptions s where s.id {named $3} and c.webhook_id like '%' || s.id)
         and not ($4 = 1 and c.content_type = 'application/json' and c.transaction_id > 0 and c.webhook_id not like '%wh%'))`,
    [...listsOf(own.endpoints), own.subscriptions, own.eventsOf === null ? 0 : 1],
  );
}

export type WaitingPost = SqlRow & RowKey<number> & { endpoint_id: number; webhook_id: string; content_type: string };

const POSTS = 'select id, environment_id, endpoint_id, webhook_id, content_type from callbacks';

/** Returns the events that wait for a retry at these endpoints and are not being sent. */
export function selectWaitingPosts(tx: Tx, endpoints: readonly RowKey<number>[]): Promise<WaitingPost[]> {
  return tx.query<WaitingPost>(
    `${POSTS} where endpoint_id {among $1} and environment_id {among $2} and content_type = 'application/json'
       and state = 'queued' and attempts > 0 and lease is null`,
    listsOf(endpoints),
  );
}

/**
 * Returns the events that were given up, at any URL: for these subscriptions, and of an environment (null: none).
 * Others may be many.
 */
export function selectGivenUpPosts(
  tx: Tx,
  { subscriptions, eventsOf }: { subscriptions: readonly string[]; eventsOf: number | null },
): Promise<WaitingPost[]> {
  return tx.query<WaitingPost>(
    `${POSTS} where state = 'dead' and content_type = 'application/json' and (environment_id = $1 or exists (
       select 1 from webhook_subscriptions s where s.id {named $2} and callbacks.webhook_id like '%' || s.id))`,
    [eventsOf ?? 0, subscriptions],
  );
}

/** `lease`: of the worker that has claimed the posts; empty for posts that nobody has claimed. Others do not change. */
type Held = { lease: string; now: number };

/** Ends posts that wait or were given up, and may go nowhere any more. Returns how many it ended. */
export async function endPosts(tx: Tx, posts: readonly RowKey<number>[], { lease, now }: Held): Promise<number> {
  const rows = await tx.query(
    `update callbacks set state = 'disabled', finished_at = $4, next_attempt_at = $4, lease = null, scheduled_at = null,
       not_before = null
     where id {among $1} and environment_id {among $2} and state in ('queued', 'dead') and coalesce(lease, '') = $3 returning id`,
    [...listsOf(posts), lease, now],
  );
  return rows.length;
}

/**
 * Makes waiting posts of one environment due at another URL. Their schedule does not change: this attempt is beside it.
 * Returns how many.
 */
export async function readdressPosts(
  tx: Tx,
  posts: readonly RowKey<number>[],
  { url, endpointId, lease, now }: Held & { url: string; endpointId: number },
): Promise<number> {
  const rows = await tx.query(
    `update callbacks set url = $5, endpoint_id = $6, next_attempt_at = $4, lease = null, not_before = null,
       scheduled_at = case when lease is null then coalesce(scheduled_at, next_attempt_at) else scheduled_at end
     where id {among $1} and environment_id {among $2} and state = 'queued' and coalesce(lease, '') = $3 returning id`,
    [...listsOf(posts), lease, now, url, endpointId],
  );
  return rows.length;
}
