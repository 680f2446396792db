import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
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

/** From now on its signatures fail, within a second on every replica. `already`: they did before. */
export function disablePaymentService(app: App, id: string): Promise<'changed' | 'already' | 'unknown'> {
  return change(app, id, (tx) => updateDisabled(tx, id, app.now()));
}

/** Takes that back. `already`: it was enabled. */
export function enablePaymentService(app: App, id: string): Promise<'changed' | 'already' | 'unknown'> {
  return change(app, id, (tx) => updateEnabled(tx, id));
}

function change(app: App, id: string, update: (tx: Tx) => Promise<boolean>) {
  return app.db.transaction(async (tx) => {
    if (await update(tx)) return 'changed';
    return (await selectPaymentServices(tx)).some((service) => service.id === id) ? 'already' : 'unknown';
  });
}
