import { userOf } from '../../auth/find-user.ts';
import type { User } from '../../auth/user.ts';
import { selectUserById } from '../../auth/user-queries.ts';
import type { Reader, Tx } from '../../db/database.ts';
import { type EventsUrl, selectEventsUrls } from '../../payment-services/payment-service-queries.ts';
import type { PostedEventType } from '../event.ts';
import { includesEvent, isForEventsUrl, subscriptionOf, type WebhookSubscription } from './webhook-subscription.ts';
import { selectSubscriptionsFor, selectSuccessors } from './webhook-subscription-queries.ts';

/**
 * Returns the subscriptions to a type of event of an environment. Their user is enabled, sees the environment and has
 * the permission to read events.
 */
export async function findSubscribers(
  tx: Tx,
  environmentId: number,
  type: PostedEventType,
): Promise<readonly WebhookSubscription[]> {
  const told: WebhookSubscription[] = [];
  // The SQL already excludes users of other merchants: there may be thousands, and a refund waits for this.
  for (const subscription of await selectSubscriptionsFor(tx, environmentId)) {
    if (!includesEvent(subscription.webhook, type)) continue;
    if (mayReadEvents(await readUser(tx, subscription.user_id), environmentId)) told.push(subscription);
  }
  return told;
}

/**
 * A user's webhook and where its posts go now. `url` null: nowhere, because the webhook has ended, or its user is
 * disabled or does not see the events of the environment any more.
 */
export type UserWebhook = Pick<WebhookSubscription, 'user_id' | 'webhook'> & { email: string; url: string | null };

/**
 * The target of a post, if its kind says where it goes. Both null: it goes to the URL of its transaction or its payout,
 * or the user of its webhook is in another database.
 */
export type Destination = { user_webhook: UserWebhook | null; events_url: EventsUrl | null };

type PostRow = { webhook_id: string | null; content_type: string | null; environment_id: number };

/** Adds what a post is for to rows with its columns; null: of no post. */
export async function withDestination<Row extends PostRow>(
  db: Reader,
  rows: readonly Row[],
): Promise<(Row & Destination)[]> {
  const environments = new Set(rows.filter(isForEventsUrl).map(({ environment_id }) => environment_id));
  const urls = environments.size === 0 ? [] : await selectEventsUrls(db, [...environments]);
  const byEnvironment = new Map(urls.map(({ id, ...one }) => [id, one]));
  const webhooks = await findWebhooks(db, rows);
  return rows.map((row, at) => ({
    ...row,
    user_webhook: webhooks[at] ?? null,
    events_url: (isForEventsUrl(row) && byEnvironment.get(row.environment_id)) || null,
  }));
}

/** Returns whom a post is for, if that says where it goes. */
export function receiverOf({ user_webhook, events_url }: Destination): UserWebhook | EventsUrl | null {
  return user_webhook ?? events_url;
}

async function findWebhooks(db: Reader, posts: readonly PostRow[]): Promise<(UserWebhook | null)[]> {
  const ids = [...new Set(posts.flatMap((post) => subscriptionOf(post) ?? []))];
  if (ids.length === 0) return [];
  const successors = new Map((await selectSuccessors(db, ids)).map((one) => [one.id, one]));
  const users = new Map<string, User | null>();
  for (const { user_id, url } of successors.values()) {
    if (url !== null && !users.has(user_id)) users.set(user_id, await readUser(db, user_id));
  }
  return posts.map((post) => {
    const successor = successors.get(subscriptionOf(post) ?? '');
    if (successor === undefined) return null;
    const { user_id, webhook, email, url } = successor;
    return {
      user_id,
      webhook,
      email,
      url: mayReadEvents(users.get(user_id) ?? null, post.environment_id) ? url : null,
    };
  });
}

async function readUser(db: Reader, id: string): Promise<User | null> {
  const row = await selectUserById(db, id);
  return row === null ? null : userOf(db, row);
}

function mayReadEvents(user: User | null, environmentId: number): boolean {
  return user !== null && user.may.has('events:read') && (user.environmentIds?.has(environmentId) ?? true);
}
