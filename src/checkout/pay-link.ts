import type { App } from '../app.ts';
import { payToken, type Transaction } from '../transactions/transaction.ts';

type Addressed = Pick<Transaction, 'id' | 'pay_secret'>;

/** Where payers and merchants reach the service: the origin, and the base path if there is one. No final slash. */
export function publicBase(app: App): string {
  const { publicUrl, host, port, basePath } = app.config;
  const name = host.includes(':') ? `[${host}]` : host;
  return (publicUrl ?? `http://${name}:${port}`) + basePath;
}

/** The address of the pay page. */
export function payUrl(app: App, transaction: Addressed): string {
  return `${publicBase(app)}/pay/${payToken(transaction)}`;
}

/** Where a payment method sends the payer back to. */
export function returnUrl(app: App, transaction: Addressed): string {
  return `${payUrl(app, transaction)}/return`;
}
