import { userOf } from '../auth/find-user.ts';
import type { User } from '../auth/user.ts';
import { selectUserById } from '../auth/user-queries.ts';
import type { Reader, Tx } from '../db/database.ts';
import type { PostedEventType } from './event.ts';
import { brings, subscriptionOf, type WebhookSubscription } from './webhook-subscription.ts';
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
    if (!brings(subscription.webhook, type)) continue;
    if (mayGet(await readUser(tx, subscription.user_id), environmentId)) told.push(subscription);
  }
  return told;
}

/**
 * Where a post to a user's webhook goes now. `url` null: nowhere, because the webhook has ended, or its user is
 * disabled or does not see the events of the environment any more.
 */
export type Destination = Pick<WebhookSubscription, 'user_id' | 'webhook'> & { email: string; url: string | null };

/**
 * Returns the destination of each of these posts; null for a post to nobody's webhook, or to one whose user is in
 * another database.
 */
export async function findDestinations(
  db: Reader,
  posts: readonly { webhook_id: string; environment_id: number }[],
): Promise<(Destination | null)[]> {
  const ids = [...new Set(posts.flatMap((post) => subscriptionOf(post) ?? []))];
  if (ids.length === 0) return posts.map(() => null);
  const successors = new Map((await selectSuccessors(db, ids)).map((one) => [one.id, one]));
  const users = new Map<string, User | null>();
  for (const { user_id, url } of successors.values()) {
    if (url !== null && !users.has(user_id)) users.set(user_id, await readUser(db, user_id));
  }
  return posts.map((post) => {
    const successor = successors.get(subscriptionOf(post) ?? '');
    if (successor === undefined) return null;
    const { user_id, webhook, email, url } = successor;
    return { user_id, webhook, email, url: mayGet(users.get(user_id) ?? null, post.environment_id) ? url : null };
  });
}

/** A row with the user's webhook that its post was for; null: for nobody's. */
export type OfWebhook<Row> = Row & { user_webhook: Destination | null };

/** Adds the user's webhook to rows with the `webhook_id` of a post. */
export async function withUserWebhook<Row extends { webhook_id: string | null; environment_id: number }>(
  db: Reader,
  rows: readonly Row[],
): Promise<OfWebhook<Row>[]> {
  const posts = rows.map(({ webhook_id, environment_id }) => ({ webhook_id: webhook_id ?? '', environment_id }));
  const found = await findDestinations(db, posts);
  return rows.map((row, at) => ({ ...row, user_webhook: found[at] ?? null }));
}

async function readUser(db: Reader, id: string): Promise<User | null> {
  const row = await selectUserById(db, id);
  return row === null ? null : userOf({ db }, row);
}

function mayGet(user: User | null, environmentId: number): boolean {
  return user !== null && user.may.has('events:read') && (user.environmentIds?.has(environmentId) ?? true);
}
