import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { hashOfUrl } from '../../audit/said-url.ts';
import { requireManager } from '../../auth/manage-rule.ts';
import { prefixedId } from '../../lib/ids.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { endpointAddress } from '../endpoints/endpoint-address.ts';
import { enableOwn, endOwnPosts, postsOfWebhook, readdressOwnPosts } from './own-posts.ts';
import type { Webhook, WebhookMethod, WebhookSubscription } from './webhook-subscription.ts';
import { insertSubscription, selectSubscriptions, updateEnded } from './webhook-subscription-queries.ts';

/**
 * Subscribes a user to a webhook at a URL, which the caller has checked. Ends the user's earlier subscription to it; if
 * that has the same URL and method, returns it instead. Posts that wait for the earlier URL become due at the new one.
 * Enables the endpoints of the URL that responded 410.
 */
export async function setWebhook(
  app: App,
  wish: { userId: string; webhook: Webhook; url: string; method: WebhookMethod },
  by: Actor,
): Promise<WebhookSubscription> {
  const { userId, webhook, url, method } = wish;
  const at = app.now();
  const { environments: excluded } = await findElsewhere(app);
  return app.db.transaction(async (tx) => {
    // The user says that the URL works, perhaps only again after a 410.
    const enable = async () => enableOwn(tx, await postsOfWebhook(tx, { userId, webhook: null, url, excluded, at }));
    const row = { id: prefixedId('wh'), user_id: userId, webhook, url, method, created_at: at, ended_at: null };
    let current: WebhookSubscription | null;
    // Of two concurrent requests one inserts; the other waits for its commit and then sees its row.
    do {
      current = (await selectSubscriptions(tx, userId)).find((one) => one.webhook === webhook) ?? null;
      if (current?.url === url && current.method === method) {
        await enable();
        return current;
      }
      // Null if a concurrent request has ended it: then this replaces nothing.
      if (current !== null) current = await updateEnded(tx, userId, webhook, at);
    } while (!(await insertSubscription(tx, row)));
    await enable();
    const former = current === null || current.url === url ? null : current.url;
    const own = await postsOfWebhook(tx, { userId, webhook, url: former, excluded, at });
    const waiting = await readdressOwnPosts(tx, own, url);
    const before = current === null ? null : { webhook, address: endpointAddress(current.url), method: current.method };
    const after = {
      webhook,
      address: endpointAddress(url),
      url_sha256: hashOfUrl(url),
      method,
      ...(waiting > 0 && { waiting_posts: waiting }),
    };
    await recordAudit(tx, { at, by, action: 'webhook.set', subject: { kind: 'user', id: userId }, before, after });
    return row;
  });
}

/**
 * Ends a user's subscription to a webhook, and the posts that wait for it or were given up. Returns the ended one, with
 * the number of these posts, or null. `managerId`: the user who must be allowed to manage the user, or is the user.
 * Throws `Problem` `MORE_THAN_YOURS`.
 */
export async function endWebhook(
  app: App,
  { userId, webhook }: { userId: string; webhook: Webhook },
  by: Actor,
  managerId: string | null = null,
): Promise<(WebhookSubscription & { posts_ended: number }) | null> {
  const at = app.now();
  const { environments: excluded } = await findElsewhere(app);
  return app.db.transaction(async (tx) => {
    if (managerId !== null && managerId !== userId) await requireManager(tx, managerId, userId);
    const end = () => updateEnded(tx, userId, webhook, at);
    // A concurrent change of its URL has ended the one that this waited for: then this ends the new one.
    const ended = (await end()) ?? (await end());
    if (ended === null) return null;
    const before = { webhook, address: endpointAddress(ended.url) };
    const posts = await endOwnPosts(tx, await postsOfWebhook(tx, { userId, webhook, url: ended.url, excluded, at }));
    const after = posts === 0 ? null : { posts_ended: posts };
    await recordAudit(tx, { at, by, action: 'webhook.ended', subject: { kind: 'user', id: userId }, before, after });
    return { ...ended, posts_ended: posts };
  });
}

/**
 * Ends the posts that were given up, of a webhook that ended before them: nobody wants them, and nobody must see to
 * them. Returns how many.
 */
export async function endLeftPosts(
  app: App,
  { userId, webhook }: { userId: string; webhook: Webhook },
  by: Actor,
): Promise<number> {
  const at = app.now();
  const { environments: excluded } = await findElsewhere(app);
  return app.db.transaction(async (tx) => {
    const posts = await endOwnPosts(tx, await postsOfWebhook(tx, { userId, webhook, url: null, excluded, at }));
    const [before, after] = [{ webhook }, { posts_ended: posts }];
    if (posts > 0)
      await recordAudit(tx, { at, by, action: 'webhook.ended', subject: { kind: 'user', id: userId }, before, after });
    return posts;
  });
}
