import { userOf } from '../auth/find-user.ts';
import { selectUserById } from '../auth/user-queries.ts';
import type { Tx } from '../db/database.ts';
import type { PostedEventType } from './event.ts';
import { brings, type WebhookSubscription } from './webhook-subscription.ts';
import { selectSubscriptions } from './webhook-subscription-queries.ts';

/**
 * Finds the subscribers of an event of an environment: their user is enabled, sees the environment, and may still read events.
 */
export async function findSubscribers(
  tx: Tx,
  environmentId: number,
  type: PostedEventType,
): Promise<readonly WebhookSubscription[]> {
  const told: WebhookSubscription[] = [];
  for (const subscription of await selectSubscriptions(tx, null)) {
    if (!brings(subscription.webhook, type)) continue;
    const row = await selectUserById(tx, subscription.user_id);
    if (row === null || row.disabled_at !== null) continue;
    const user = await userOf({ db: tx }, row);
    if (user.may.has('events:read') && (user.environmentIds?.has(environmentId) ?? true)) told.push(subscription);
  }
  return told;
}
