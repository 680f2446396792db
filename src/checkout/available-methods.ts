import type { App } from '../app.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';

/**
 * Lists the methods that can collect this payment, in the order of the list of adapters. Reads nothing from the store.
 */
export function availableMethods(
  app: App,
  { environment, configuredMethods }: Pick<ServiceEnvironment, 'environment' | 'configuredMethods'>,
  { currency, amount }: { currency: string; amount: number | null },
): PaymentMethod[] {
  return app.paymentMethods.filter((method) =>
    method.accepts({ environment, currency, amount, configured: configuredMethods.includes(method.code) }),
  );
}

/** The lower-case names of methods that shops of the old service send in `?method=`. */
const FORMER_NAMES: Readonly<Record<string, string>> = { webpaypst: 'webpay' };

/** Returns the method that a shop chose for the payer, by its code or by its former name. */
export function chosenMethod(methods: readonly PaymentMethod[], name: string): PaymentMethod | undefined {
  return methods.find(({ code }) => code === name || code === FORMER_NAMES[name.toLowerCase()]);
}
