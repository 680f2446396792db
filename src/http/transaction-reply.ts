import type { App } from '../app.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { payToken, type Transaction } from '../transactions/transaction.ts';

/** Where payers and merchants reach the service: the origin, and the base path if there is one. */
export function publicBase(app: App): string {
  return (app.config.publicUrl ?? `http://${app.config.host}:${app.config.port}`) + app.config.basePath;
}

/** The methods that can collect this payment, in the order of the list of adapters. */
export function availableMethods(
  app: App,
  payment: { environment: Environment; currency: string; amount: number | null },
): PaymentMethod[] {
  return app.paymentMethods.filter((method) => method.accepts(payment));
}

/** The address of the pay page. */
export function payUrl(app: App, transaction: Pick<Transaction, 'id' | 'pay_secret'>): string {
  return `${publicBase(app)}/pay/${payToken(transaction)}`;
}

/**
 * The reply of `POST /trxs` as JSON text. The gateway comes first and every method after it, so that a client which
 * takes the first entry, the second, or one by its code finds what it expects.
 */
export function createdReply(
  app: App,
  transaction: Pick<Transaction, 'id' | 'pay_secret'>,
  methods: readonly PaymentMethod[],
): string {
  const url = payUrl(app, transaction);
  let entries = `{"name":"gateway","code":"gateway","url":"${url}"}`;
  for (const { name, code } of methods) {
    entries += `,{"name":${JSON.stringify(name)},"code":"${code}","url":"${url}?method=${code}"}`;
  }
  return `{"message":"Trx creada exitosamente","errors":null,"data":{"idTrx":${transaction.id},"payUrl":[${entries}]}}`;
}
