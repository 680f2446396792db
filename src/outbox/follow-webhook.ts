import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { endpointAddress } from './endpoint-address.ts';
import { ensureEndpoint, updateIdle } from './endpoint-queries.ts';
import { findDestinations } from './find-subscribers.ts';
import type { ClaimedCallback } from './outbox-queries.ts';
import {
  enableEndpoints,
  endPosts,
  lockEndpoints,
  readdressPosts,
  selectEndpointsOfUser,
  selectGivenUpPosts,
  selectWaitingPosts,
} from './webhook-post-queries.ts';
import { subscriptionOf, type WebhookSubscription } from './webhook-subscription.ts';
import { selectSubscriptionIds } from './webhook-subscription-queries.ts';

/**
 * Returns whether a claimed post still goes to its URL; asked before each attempt, because a webhook can change while
 * its posts wait. If the user has changed the URL, the post is due there instead. If the webhook has ended, or its user
 * may not read the event any more, the post ends as `disabled`.
 */
export async function followWebhook(app: App, post: ClaimedCallback): Promise<boolean> {
  if (subscriptionOf(post) === null) return true;
  const [destination = null] = await findDestinations(app.db, [post]);
  if (destination === null || destination.url === post.url) return true;
  const { url } = destination;
  const held = { lease: post.lease, now: app.now() };
  await app.db.transaction(async (tx) => {
    if (url !== null) {
      const { id: endpointId } = await ensureEndpoint(tx, post.environment_id, endpointAddress(url));
      await readdressPosts(tx, [post], { ...held, url, endpointId });
      return;
    }
    const endpoints = [{ id: post.endpoint_id, environment_id: post.environment_id }];
    await lockEndpoints(tx, endpoints);
    await endPosts(tx, [post], held);
    await updateIdle(tx, endpoints);
  });
  return false;
}

/** Returns whether a post may go nowhere any more; asked after a failure, so that no retry is planned. */
export async function isUnwanted(app: App, post: ClaimedCallback): Promise<boolean> {
  const [destination = null] = await findDestinations(app.db, [post]);
  return destination !== null && destination.url === null;
}

/** Where a webhook was; `excluded`: environments that another database serves. */
type Former = { webhook: WebhookSubscription; excluded: ReadonlySet<number>; at: number };

/**
 * Ends the posts of a webhook, which has ended, that wait or were given up; the worker ends those that are under way.
 * Its endpoint no longer needs attention. Returns how many posts waited.
 */
export async function endWaitingPosts(tx: Tx, former: Former): Promise<number> {
  const { endpoints, posts, own, isOwn } = await lockWaiting(tx, former);
  if (endpoints.length === 0) return 0;
  const held = { lease: '', now: former.at };
  const ended = await endPosts(tx, posts, held);
  await endPosts(tx, (await selectGivenUpPosts(tx, endpoints)).filter(isOwn), held);
  await updateIdle(tx, endpoints);
  await enableEndpoints(tx, endpoints, own);
  return ended;
}

/** Makes the posts that wait for a webhook due at its new URL. Returns how many. */
export async function readdressWaitingPosts(tx: Tx, former: Former, url: string): Promise<number> {
  const { endpoints, posts } = await lockWaiting(tx, former);
  let moved = 0;
  for (const [environmentId, own] of Map.groupBy(posts, ({ environment_id }) => environment_id)) {
    const { id: endpointId } = await ensureEndpoint(tx, environmentId, endpointAddress(url));
    moved += await readdressPosts(tx, own, { lease: '', now: former.at, url, endpointId });
  }
  if (endpoints.length > 0) await updateIdle(tx, endpoints);
  return moved;
}

/**
 * Enables the endpoints of a webhook that a user has just set: a 410 from before must not keep its posts back. One that
 * keeps back callbacks of the shop or of others stays disabled, until a person sends one of them again.
 */
export async function enableWebhook(tx: Tx, { webhook: set, excluded }: Omit<Former, 'at'>): Promise<void> {
  const address = endpointAddress(set.url);
  const endpoints = await selectEndpointsOfUser(tx, { userId: set.user_id, address, excluded });
  if (endpoints.length === 0) return;
  await enableEndpoints(tx, endpoints, await selectSubscriptionIds(tx, set.user_id, null));
}

async function lockWaiting(tx: Tx, { webhook, excluded }: Former) {
  const { user_id: userId, url } = webhook;
  const endpoints = await selectEndpointsOfUser(tx, { userId, address: endpointAddress(url), excluded });
  if (endpoints.length === 0) return { endpoints, posts: [], own: [], isOwn: () => false };
  await lockEndpoints(tx, endpoints);
  const own = await selectSubscriptionIds(tx, userId, webhook.webhook);
  const isOwn = (post: { webhook_id: string }) => own.includes(subscriptionOf(post) ?? '');
  return { endpoints, posts: (await selectWaitingPosts(tx, endpoints)).filter(isOwn), own, isOwn };
}
