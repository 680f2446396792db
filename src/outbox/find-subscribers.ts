import { userOf } from '../auth/find-user.ts';
import { selectUserById } from '../auth/user-queries.ts';
import type { Tx } from '../db/database.ts';
import type { PostedEventType } from './event.ts';
import { brings, type WebhookSubscription } from './webhook-subscription.ts';
import { selectSubscriptionsFor } from './webhook-subscription-queries.ts';

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
    const row = await selectUserById(tx, subscription.user_id);
    if (row === null) continue;
    const user = await userOf({ db: tx }, row);
    if (user.may.has('events:read') && (user.environmentIds?.has(environmentId) ?? true)) told.push(subscription);
  }
  return told;
}
