import type { Tx } from '../../db/database.ts';
import type { RowKey } from '../../db/row-key.ts';
import { endpointAddress } from '../endpoints/endpoint-address.ts';
import { ensureEndpoint, updateIdle } from '../endpoints/endpoint-queries.ts';
import {
  enableEndpoints,
  endPosts,
  lockEndpoints,
  readdressPosts,
  selectEndpointsAt,
  selectEndpointsOfUser,
  selectGivenUpPosts,
  selectWaitingPosts,
  type WaitingPost,
} from './webhook-post-queries.ts';
import { isForEventsUrl, subscriptionOf, type Webhook } from './webhook-subscription.ts';
import { selectSubscriptionIds } from './webhook-subscription-queries.ts';

/**
 * The posts to a user's webhook or to an events URL. `endpoints`: where it is, or was until now. `isOwn`: which posts
 * there are for it; `subscriptions` and `eventsOf`, the environment of the events URL, say the same to the store. `at`:
 * now.
 */
export type OwnPosts = {
  endpoints: readonly RowKey<number>[];
  isOwn: (post: WaitingPost) => boolean;
  subscriptions: readonly string[];
  eventsOf: number | null;
  at: number;
};

/**
 * Returns the posts to a webhook of a user (null: to all) that is or was at `url` (null: nowhere). `excluded`:
 * environments that another database serves.
 */
export async function postsOfWebhook(
  tx: Tx,
  of: { userId: string; webhook: Webhook | null; url: string | null; excluded: ReadonlySet<number>; at: number },
): Promise<OwnPosts> {
  const { userId, webhook, url, excluded, at } = of;
  const endpoints =
    url === null ? [] : await selectEndpointsOfUser(tx, { userId, address: endpointAddress(url), excluded });
  const subscriptions = await selectSubscriptionIds(tx, userId, webhook);
  const isOwn = (post: WaitingPost) =>
    !excluded.has(post.environment_id) && subscriptions.includes(subscriptionOf(post) ?? '');
  return { endpoints, isOwn, subscriptions, eventsOf: null, at };
}

/** Returns the posts to the events URL of an environment that is or was at `url` (null: nowhere). */
export async function postsOfEventsUrl(
  tx: Tx,
  { environmentId, url, at }: { environmentId: number; url: string | null; at: number },
): Promise<OwnPosts> {
  const endpoints = url === null ? [] : await selectEndpointsAt(tx, environmentId, endpointAddress(url));
  const isOwn = (post: WaitingPost) => post.environment_id === environmentId && isForEventsUrl(post);
  return { endpoints, isOwn, subscriptions: [], eventsOf: environmentId, at };
}

/**
 * Ends the posts that wait or were given up, because they may go nowhere any more; the worker ends those that are under
 * way. Their endpoints no longer need attention. Returns how many it ended.
 */
export async function endOwnPosts(tx: Tx, own: OwnPosts): Promise<number> {
  const givenUp = (await selectGivenUpPosts(tx, own)).filter(own.isOwn);
  const at = givenUp.map(({ endpoint_id: id, environment_id }) => ({ id, environment_id }));
  const endpoints = [...own.endpoints, ...at];
  if (endpoints.length === 0) return 0;
  await lockEndpoints(tx, endpoints);
  const waiting = (await selectWaitingPosts(tx, own.endpoints)).filter(own.isOwn);
  const ended = await endPosts(tx, [...waiting, ...givenUp], { lease: '', now: own.at });
  await updateIdle(tx, endpoints);
  await enableEndpoints(tx, { ...own, endpoints });
  return ended;
}

/** Makes the posts that wait due at the new URL. Returns how many. */
export async function readdressOwnPosts(tx: Tx, { endpoints, isOwn, at: now }: OwnPosts, url: string): Promise<number> {
  if (endpoints.length === 0) return 0;
  await lockEndpoints(tx, endpoints);
  const posts = (await selectWaitingPosts(tx, endpoints)).filter(isOwn);
  let moved = 0;
  for (const [environmentId, some] of Map.groupBy(posts, ({ environment_id }) => environment_id)) {
    const { id: endpointId } = await ensureEndpoint(tx, environmentId, endpointAddress(url));
    moved += await readdressPosts(tx, some, { lease: '', now, url, endpointId });
  }
  await updateIdle(tx, endpoints);
  return moved;
}

/**
 * Enables the endpoints of a URL that somebody has just set: a 410 from before must not keep its posts back. One that
 * keeps back callbacks of the shop or of others stays disabled, until a person sends one of them again.
 */
export async function enableOwn(tx: Tx, own: OwnPosts): Promise<void> {
  if (own.endpoints.length > 0) await enableEndpoints(tx, own);
}
