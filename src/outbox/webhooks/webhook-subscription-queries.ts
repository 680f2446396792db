import type { Reader, SqlRow, Tx } from '../../db/database.ts';
import type { Webhook, WebhookSubscription } from './webhook-subscription.ts';

/** Returns the subscriptions in use, oldest first: of one user; null: of all. */
export function selectSubscriptions(db: Reader, userId: string | null): Promise<WebhookSubscription[]> {
  return db.query<WebhookSubscription>(
    `select * from webhook_subscriptions where ended_at is null and $1 in ('', user_id) order by created_at, id`,
    [userId ?? ''],
  );
}

/**
 * Returns the subscriptions in use whose user is enabled and has the environment's payment service, or all services.
 * Oldest first.
 */
export function selectSubscriptionsFor(db: Reader, environmentId: number): Promise<WebhookSubscription[]> {
  return db.query<WebhookSubscription>(
    `select s.* from webhook_subscriptions s join users u on u.id = s.user_id
     where s.ended_at is null and u.disabled_at is null and (u.all_payment_services = 1 or exists (
       select 1 from user_payment_services g join environments e on e.payment_service_id = g.payment_service_id
       where g.user_id = s.user_id and e.id = $1))
     order by s.created_at, s.id`,
    [environmentId],
  );
}

/** Inserts a subscription. Returns false if the user already has one in use. */
export async function insertSubscription(tx: Tx, row: WebhookSubscription): Promise<boolean> {
  const inserted = await tx.query(
    `insert into webhook_subscriptions (id, user_id, webhook, url, method, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (user_id, webhook) where ended_at is null do nothing returning id`,
    [row.id, row.user_id, row.webhook, row.url, row.method, row.created_at],
  );
  return inserted.length === 1;
}

/** Ends the subscription in use and returns it, or null. */
export async function updateEnded(
  tx: Tx,
  userId: string,
  webhook: Webhook,
  now: number,
): Promise<WebhookSubscription | null> {
  const [row] = await tx.query<WebhookSubscription>(
    `update webhook_subscriptions set ended_at = $3 where user_id = $1 and webhook = $2 and ended_at is null returning *`,
    [userId, webhook, now],
  );
  return row ?? null;
}

export type Successor = SqlRow & {
  id: string;
  user_id: string;
  webhook: Webhook;
  email: string;
  url: string | null;
};

/**
 * Returns these subscriptions, each with its user and the URL that the user's webhook has now. `url` null: the webhook
 * has ended, or its user is disabled.
 */
export function selectSuccessors(db: Reader, ids: readonly string[]): Promise<Successor[]> {
  return db.query<Successor>(
    `select s.id, s.user_id, s.webhook, u.email, now.url
     from webhook_subscriptions s join users u on u.id = s.user_id
     left join webhook_subscriptions now on now.user_id = s.user_id and now.webhook = s.webhook and now.ended_at is null
       and u.disabled_at is null
     where s.id {named $1}`,
    [ids],
  );
}

/** Returns the ids of all subscriptions of a user to a webhook (null: to all), also of the ended ones. */
export async function selectSubscriptionIds(db: Reader, userId: string, webhook: Webhook | null): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    "select id from webhook_subscriptions where user_id = $1 and $2 in ('', webhook)",
    [userId, webhook ?? ''],
  );
  return rows.map(({ id }) => id);
}
