import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOfUrl } from '../audit/said-url.ts';
import { prefixedId } from '../lib/ids.ts';
import { endpointAddress } from './endpoint-address.ts';
import type { Webhook, WebhookMethod, WebhookSubscription } from './webhook-subscription.ts';
import { insertSubscription, selectSubscriptions, updateEnded } from './webhook-subscription-queries.ts';

/** Returns the subscriptions in use: of one user; null: of all. */
export function listWebhooks(app: App, userId: string | null): Promise<WebhookSubscription[]> {
  return selectSubscriptions(app.db, userId);
}

/**
 * Subscribes a user to a webhook at a URL, which the caller has checked. Ends the user's earlier subscription to it; if
 * that has the same URL and method, returns it instead. Posts that wait for the earlier URL are still sent there.
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
    // Of two concurrent requests one inserts; the other waits for its commit and then sees its row.
    do {
      current = (await selectSubscriptions(tx, userId)).find((one) => one.webhook === webhook) ?? null;
      if (current?.url === url && current.method === method) return current;
      if (current !== null) await updateEnded(tx, userId, webhook, at);
    } while (!(await insertSubscription(tx, row)));
    const before = current === null ? null : { webhook, address: endpointAddress(current.url), method: current.method };
    const after = { webhook, address: endpointAddress(url), url_sha256: hashOfUrl(url), method };
    await recordAudit(tx, { at, by, action: 'webhook.set', subject: { kind: 'user', id: userId }, before, after });
    return row;
  });
}

/** Ends a user's subscription to a webhook. Returns the ended one, or null. */
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
