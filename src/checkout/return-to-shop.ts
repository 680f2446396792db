import { callbackFields } from '../outbox/callback-payload.ts';
import { endpointAddress } from '../outbox/endpoint-address.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { callbackOf } from '../transactions/transition-transaction.ts';

/** How the payer's browser goes back to the shop. */
export type ReturnToShop =
  | { kind: 'post'; url: string; fields: Record<string, string> }
  | { kind: 'get'; url: string }
  /** A payer who paid by a link that belongs to no shop stays. */
  | { kind: 'none' };

/**
 * After a payment, approved or declined: a form post of exactly the ten signed fields of the callback, to
 * `x_url_complete`. Without one: to `x_url_cancel`, whose query is the merchant's and stays as it is. Published shops that
 * have one page for both, told apart by the query, take a post there and answer 405 to a visit; the others take a visit.
 */
export function returnToShop(transaction: Transaction, environment: ServiceEnvironment): ReturnToShop {
  const { state, settled_at, url_cancel, url_complete } = transaction;
  if (url_complete === '') return state === 'completed' ? { kind: 'none' } : { kind: 'get', url: url_cancel };
  const url = state === 'completed' || state === 'failed' ? url_complete : url_cancel;
  if (settled_at === null || endpointAddress(url) !== endpointAddress(url_complete)) return { kind: 'get', url };
  return { kind: 'post', url, fields: callbackFields(environment, callbackOf(transaction, settled_at)) };
}
