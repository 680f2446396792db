import type { App } from '../../app.ts';
import type { Reader } from '../../db/database.ts';
import { endpointAddress } from '../endpoints/endpoint-address.ts';
import { ensureEndpoint, updateIdle } from '../endpoints/endpoint-queries.ts';
import type { ClaimedCallback } from '../outbox-queries.ts';
import type { NextStep } from '../retry-schedule.ts';
import { receiverOf, withDestination } from './find-subscribers.ts';
import { endPosts, lockEndpoints, readdressPosts } from './webhook-post-queries.ts';
import { isForEventsUrl, subscriptionOf } from './webhook-subscription.ts';

/**
 * Returns whether a post follows its receiver to another URL: a user's webhook or an events URL can change while its
 * posts wait. The URL of a callback stays.
 */
export function followsReceiver(post: ClaimedCallback): boolean {
  return subscriptionOf(post) !== null || isForEventsUrl(post);
}

/**
 * Returns whether a claimed post that follows its receiver still goes to its URL; asked before each attempt. If its URL
 * has changed, the post is due at the new one instead. If the webhook has ended, its user may not read the event any
 * more, or the events URL was removed, the post ends as `disabled`.
 */
export async function followReceiver(app: App, post: ClaimedCallback): Promise<boolean> {
  const url = await urlNow(app.db, post);
  if (url === post.url) return true;
  const held = { lease: post.lease, now: app.now() };
  await app.db.transaction(async (tx) => {
    const endpoints = [{ id: post.endpoint_id, environment_id: post.environment_id }];
    await lockEndpoints(tx, endpoints);
    if (url === null) await endPosts(tx, [post], held);
    else {
      const { id: endpointId } = await ensureEndpoint(tx, post.environment_id, endpointAddress(url));
      await readdressPosts(tx, [post], { ...held, url, endpointId });
    }
    await updateIdle(tx, endpoints);
  });
  return false;
}

const FAILED: readonly NextStep['kind'][] = ['retry', 'dead', 'disable'];

/**
 * Returns the next step of a post after an attempt. If it follows its receiver and its URL changed during the attempt,
 * a failure of the former URL does not end it, and the next attempt is due at once; if it may go nowhere any more, none
 * is planned.
 */
export async function stepForReceiver(db: Reader, post: ClaimedCallback, step: NextStep): Promise<NextStep> {
  if (!followsReceiver(post)) return step;
  const url = FAILED.includes(step.kind) ? await urlNow(db, post) : post.url;
  if (url === null) return { kind: 'unwanted' };
  return url === post.url ? step : { kind: 'retry', afterMs: 0, askedMs: 0 };
}

/** Returns where a post goes now; null: nowhere. */
async function urlNow(db: Reader, post: ClaimedCallback): Promise<string | null> {
  const [destination] = await withDestination(db, [post]);
  const receiver = destination === undefined ? null : receiverOf(destination);
  return receiver === null ? post.url : receiver.url;
}
