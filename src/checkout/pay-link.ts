import type { App } from '../app.ts';
import { publicOrigin } from '../config.ts';
import { payToken, type Transaction } from '../transactions/transaction.ts';

type Addressed = Pick<Transaction, 'id' | 'environment_id' | 'pay_secret'>;

/** Returns the public base URL of the service: the origin and the base path, if there is one. No final slash. */
export function publicBase(app: App): string {
  return publicOrigin(app.config) + app.config.basePath;
}

/** Returns the URL of the pay page. */
export function payUrl(app: App, transaction: Addressed): string {
  return `${publicBase(app)}/pay/${payToken(transaction)}`;
}

/** Returns the URL to which a payment method sends the payer back. */
export function returnUrl(app: App, transaction: Addressed): string {
  return `${payUrl(app, transaction)}/return`;
}
