import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { prefixedId } from '../lib/ids.ts';
import { endpointAddress } from './endpoint-address.ts';
import type { Webhook, WebhookMethod, WebhookSubscription } from './webhook-subscription.ts';
import { insertSubscription, selectSubscriptions, updateEnded } from './webhook-subscription-queries.ts';

/** The subscriptions in use: of one user, or with null of all. */
export function listWebhooks(app: App, userId: string | null): Promise<WebhookSubscription[]> {
  return selectSubscriptions(app.db, userId);
}

/**
 * Tells a user from now on at this URL, which the caller has checked. One that the user has for the webhook is ended, unless
 * it has the same URL and method: then that is the answer. What waits for the one before is still sent there.
 */
export function setWebhook(
  app: App,
  wish: { userId: string; webhook: Webhook; url: string; method: WebhookMethod },
  by: Actor,
): Promise<WebhookSubscription> {
  const { userId, webhook, url, method } = wish;
  const at = app.now();
  return app.db.transaction(async (tx) => {
    const row = { id: prefixedId('wh'), user_id: userId, webhook, url, method, created_at: at, ended_at: null };
    let current: WebhookSubscription | null;
    // Of two that come at the same moment one inserts; the other waits for its commit and finds what it has set.
    do {
      current = (await selectSubscriptions(tx, userId)).find((one) => one.webhook === webhook) ?? null;
      if (current?.url === url && current.method === method) return current;
      if (current !== null) await updateEnded(tx, userId, webhook, at);
    } while (!(await insertSubscription(tx, row)));
    const before = current === null ? null : { webhook, address: endpointAddress(current.url), method: current.method };
    const after = { webhook, address: endpointAddress(url), method };
    await recordAudit(tx, { at, by, action: 'webhook.set', subject: { kind: 'user', id: userId }, before, after });
    return row;
  });
}

/** Tells the user nothing more by this webhook. Answers what it ended, or null. */
export function endWebhook(
  app: App,
  { userId, webhook }: { userId: string; webhook: Webhook },
  by: Actor,
): Promise<WebhookSubscription | null> {
  const at = app.now();
  return app.db.transaction(async (tx) => {
    const ended = await updateEnded(tx, userId, webhook, at);
    if (ended === null) return null;
    const before = { webhook, address: endpointAddress(ended.url) };
    await recordAudit(tx, { at, by, action: 'webhook.ended', subject: { kind: 'user', id: userId }, before });
    return ended;
  });
}
