import { callbackFields } from '../outbox/callback-payload.ts';
import { endpointAddress } from '../outbox/endpoints/endpoint-address.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { callbackOf } from '../transactions/transition-transaction.ts';
import type { Payment } from './find-payment.ts';

/** How the payer's browser goes back to the shop. */
export type ReturnToShop =
  | { kind: 'post'; url: string; fields: Record<string, string> }
  | { kind: 'get'; url: string }
  /** The payer paid by a link without a shop, and stays on the page. */
  | { kind: 'none' };

/**
 * Returns how the browser goes back to the shop. After an approved or declined payment: a form post of exactly the ten
 * signed fields of the callback to `x_url_complete`. Otherwise: a GET of `x_url_cancel`, whose query stays unchanged.
 * Some published shops use one page for both URLs and tell them apart by the query; these accept only a post (a GET
 * returns 405), so they get a post in both cases.
 */
export function returnToShop(transaction: Transaction, environment: ServiceEnvironment): ReturnToShop {
  const { state, settled_at, url_cancel, url_complete } = transaction;
  if (url_complete === '') return state === 'completed' ? { kind: 'none' } : { kind: 'get', url: url_cancel };
  const url = state === 'completed' || state === 'failed' ? url_complete : url_cancel;
  if (settled_at === null || endpointAddress(url) !== endpointAddress(url_complete)) return { kind: 'get', url };
  return { kind: 'post', url, fields: callbackFields(environment, callbackOf(transaction, settled_at)) };
}

/**
 * Returns an address of the shop for a payer who leaves before the result: its site, otherwise the origin of
 * `x_url_complete`. Null for a payment link. The two URLs of the transaction would tell many shops that it was paid or
 * cancelled.
 */
export function shopAddress({ transaction, look }: Pick<Payment, 'transaction' | 'look'>): string | null {
  if (transaction.url_complete === '') return null;
  return look.site ?? new URL(transaction.url_complete).origin;
}
