import type { App } from '../app.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import type { Environment } from '../payment-services/payment-service.ts';

/** The methods that can collect this payment, in the order of the list of adapters. */
export function availableMethods(
  app: App,
  payment: { environment: Environment; currency: string; amount: number | null },
): PaymentMethod[] {
  return app.paymentMethods.filter((method) => method.accepts(payment));
}
