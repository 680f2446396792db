import type { App } from '../app.ts';
import {
  type PaymentServiceRow,
  selectPaymentServices,
  selectTokens,
  type TokenRow,
} from './payment-service-queries.ts';

export type ListedPaymentService = PaymentServiceRow & { tokens: TokenRow[] };

/**
 * Lists every payment service with its Service Tokens and the age and last use of its Secret Tokens. Returns no secret.
 */
export async function listPaymentServices(app: App): Promise<ListedPaymentService[]> {
  const [services, tokens] = await Promise.all([selectPaymentServices(app.db), selectTokens(app.db, null)]);
  const tokensOf = Map.groupBy(tokens, ({ payment_service_id }) => payment_service_id);
  return services.map((service) => ({ ...service, tokens: tokensOf.get(service.id) ?? [] }));
}
