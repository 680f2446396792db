import { createHmac, timingSafeEqual } from 'node:crypto';

/** The body of `POST /trxs` after `JSON.parse`. */
export type ShopRequest = {
  x_account_id: string;
  x_amount: number;
  x_currency: string;
  x_customer_email: string;
  x_reference: string;
  x_session_id: string;
  x_shop_country: string;
  x_url_callback: string;
  x_url_cancel: string;
  x_url_complete: string;
  x_signature: string;
};

const NAMES = [
  'x_account_id',
  'x_amount',
  'x_currency',
  'x_customer_email',
  'x_reference',
  'x_session_id',
  'x_shop_country',
  'x_url_callback',
  'x_url_cancel',
  'x_url_complete',
] as const;

/** Checks only the signature of the body, as every peer does. */
export function isSigned(request: ShopRequest, secret: string): boolean {
  let message = '';
  for (const name of NAMES) message += name + request[name];
  const expected = createHmac('sha256', secret).update(message).digest();
  return timingSafeEqual(expected, Buffer.from(request.x_signature, 'hex'));
}

/** The two rows of a create, by position: the columns of `transactions` and `events` that a create fills. */
export const TRANSACTION_COLUMNS =
  'id, environment_id, amount, created_at, expires_at, last_sequence, state, reference, currency, customer_email, session_id, shop_country, url_callback, url_cancel, url_complete, pay_secret';
export const EVENT_COLUMNS = 'environment_id, transaction_id, sequence, created_at, type';

export function transactionValues(id: number, request: ShopRequest, now: number, secret: string): (string | number)[] {
  return [
    id,
    1,
    request.x_amount,
    now,
    now + 3_600_000,
    1,
    'pending',
    request.x_reference,
    request.x_currency,
    request.x_customer_email,
    request.x_session_id,
    request.x_shop_country,
    request.x_url_callback,
    request.x_url_cancel,
    request.x_url_complete,
    secret,
  ];
}

/** Returns the peers' response, shaped like the service's. */
export function createdBody(id: number, secret: string): string {
  const url = `http://127.0.0.1/pay/${id}-${secret}`;
  return `{"message":"Trx creada exitosamente","errors":null,"data":{"idTrx":${id},"payUrl":[{"name":"gateway","code":"gateway","url":"${url}"}]}}`;
}
