import type { App } from '../app.ts';
import {
  type PaymentServiceRow,
  selectPaymentServices,
  selectTokens,
  type TokenRow,
  updateDisabled,
  updateEnabled,
} from './payment-service-queries.ts';

export type ListedPaymentService = PaymentServiceRow & { tokens: TokenRow[] };

/** Every payment service with its Service Tokens and the age and last use of its Secret Tokens; no secret. */
export async function listPaymentServices(app: App): Promise<ListedPaymentService[]> {
  const [services, tokens] = await Promise.all([selectPaymentServices(app.db), selectTokens(app.db, null)]);
  return services.map((service) => ({
    ...service,
    tokens: tokens.filter((token) => token.payment_service_id === service.id),
  }));
}

/** From now on its signatures fail, within a second on every replica. Answers false when it was not enabled. */
export function disablePaymentService(app: App, id: string): Promise<boolean> {
  return app.db.transaction((tx) => updateDisabled(tx, id, app.now()));
}

/** Takes that back. Answers false when it was not disabled. */
export function enablePaymentService(app: App, id: string): Promise<boolean> {
  return app.db.transaction((tx) => updateEnabled(tx, id));
}
