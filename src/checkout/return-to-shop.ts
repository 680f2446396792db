import { callbackFields } from '../outbox/callback-payload.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { callbackOf } from '../transactions/transition-transaction.ts';

/** How the payer's browser goes back to the shop. */
export type ReturnToShop = { kind: 'post'; url: string; fields: Record<string, string> } | { kind: 'get'; url: string };

/**
 * After a payment, approved or declined: a form post of exactly the ten signed fields of the callback, to
 * `x_url_complete`. Without one: a plain visit to `x_url_cancel`, whose query is the merchant's and stays as it is.
 */
export function returnToShop(transaction: Transaction, environment: ServiceEnvironment): ReturnToShop {
  const { state, settled_at, url_cancel, url_complete } = transaction;
  if (settled_at === null || (state !== 'completed' && state !== 'failed')) return { kind: 'get', url: url_cancel };
  return { kind: 'post', url: url_complete, fields: callbackFields(environment, callbackOf(transaction, settled_at)) };
}
