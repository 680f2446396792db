import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOfUrl, withoutQuery } from '../audit/said-url.ts';
import type { Environment } from './payment-service.ts';
import { lockEnvironmentId, selectEventsUrl, updateEventsUrl } from './payment-service-queries.ts';

/**
 * Sets the URL to which events of an environment's refunds are posted as JSON; null: none. The caller has checked the
 * URL. Returns false if there is no such payment service.
 */
export function setEventsUrl(
  app: App,
  target: { paymentServiceId: string; environment: Environment },
  url: string | null,
  by: Actor,
): Promise<boolean> {
  const { paymentServiceId, environment } = target;
  return app.db.transaction(async (tx) => {
    const environmentId = await lockEnvironmentId(tx, paymentServiceId, environment);
    if (environmentId === null) return false;
    const before = await selectEventsUrl(tx, environmentId);
    await updateEventsUrl(tx, environmentId, url);
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'payment_service.events_url_set',
      subject: { kind: 'payment_service', id: paymentServiceId },
      before: { environment, url: withoutQuery(before) },
      after: { environment, url: withoutQuery(url), url_sha256: hashOfUrl(url) },
    });
    return true;
  });
}
