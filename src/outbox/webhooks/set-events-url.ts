import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { hashOfUrl, withoutQuery } from '../../audit/said-url.ts';
import { changeService } from '../../payment-services/find-environment.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import {
  lockEnvironmentId,
  selectEventsUrls,
  updateEventsUrl,
} from '../../payment-services/payment-service-queries.ts';
import { enableOwn, endOwnPosts, postsOfEventsUrl, readdressOwnPosts } from './own-posts.ts';

/**
 * Sets the URL to which events of an environment's refunds are posted as JSON; null: none. The caller has checked the
 * URL. Posts that wait become due at the new one; without one they end. Returns false if there is no such payment
 * service.
 */
export function setEventsUrl(
  app: App,
  target: { paymentServiceId: string; environment: Environment },
  url: string | null,
  by: Actor,
): Promise<boolean> {
  const { paymentServiceId, environment } = target;
  return changeService(app, paymentServiceId, async (tx) => {
    const environmentId = await lockEnvironmentId(tx, paymentServiceId, environment);
    if (environmentId === null) return false;
    const at = app.now();
    const before = (await selectEventsUrls(tx, [environmentId]))[0]?.url ?? null;
    await updateEventsUrl(tx, environmentId, url);
    if (url !== null) await enableOwn(tx, await postsOfEventsUrl(tx, { environmentId, url, at }));
    const former = await postsOfEventsUrl(tx, { environmentId, url: before === url ? null : before, at });
    if (url === null) await endOwnPosts(tx, former);
    else await readdressOwnPosts(tx, former, url);
    await recordAudit(tx, {
      at,
      by,
      action: 'payment_service.events_url_set',
      subject: { kind: 'payment_service', id: paymentServiceId },
      before: { environment, url: withoutQuery(before) },
      after: { environment, url: withoutQuery(url), url_sha256: hashOfUrl(url) },
    });
    return true;
  });
}
