import type { App } from '../app.ts';
import type { Environment } from './payment-service.ts';
import { updateEventsUrl } from './payment-service-queries.ts';

/**
 * Where an environment's refunds are told as JSON; null: nowhere. The URL has been checked by the caller.
 * Answers false when there is no such payment service.
 */
export function setEventsUrl(
  app: App,
  paymentServiceId: string,
  environment: Environment,
  url: string | null,
): Promise<boolean> {
  return app.db.transaction((tx) => updateEventsUrl(tx, paymentServiceId, environment, url));
}
