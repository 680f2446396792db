import type { SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { TransactionState } from './transaction-state.ts';

/** A merchant's request for a transaction. `amount` is in minor units; the texts are as they were signed. */
export type TransactionInput = {
  amount: number;
  currency: string;
  reference: string;
  customerEmail: string;
  sessionId: string;
  shopCountry: string;
  urlCallback: string;
  urlCancel: string;
  urlComplete: string;
  /** JSON text of the four optional objects, or null. Never trusted for money or identity. */
  unsignedFields: string | null;
};

/** A row of `transactions`. Times are UTC milliseconds. */
export type Transaction = SqlRow & {
  id: number;
  environment_id: number;
  amount: number;
  currency: string;
  created_at: number;
  expires_at: number;
  settled_at: number | null;
  last_sequence: number;
  state: TransactionState;
  reference: string;
  customer_email: string;
  session_id: string;
  shop_country: string;
  url_callback: string;
  url_cancel: string;
  url_complete: string;
  pay_secret: string;
  payment_method: string | null;
  unsigned_fields: string | null;
  /** The fee that the service kept from the payment, in minor units; 0 without a payment. */
  fee: number;
};

/** The key of a transaction. By its id alone, a query would cover every environment. */
export type TransactionKey = RowKey<number>;

/** Returns the key of the transaction of a row, such as a payment attempt, a refund or a callback. */
export function transactionKeyOf(row: { transaction_id: number; environment_id: number }): TransactionKey {
  return { id: row.transaction_id, environment_id: row.environment_id };
}

/** The signed fields, with the names by which differences are reported. */
const COMPARED: readonly [string, keyof TransactionInput, keyof Transaction][] = [
  ['x_amount', 'amount', 'amount'],
  ['x_currency', 'currency', 'currency'],
  ['x_customer_email', 'customerEmail', 'customer_email'],
  ['x_session_id', 'sessionId', 'session_id'],
  ['x_shop_country', 'shopCountry', 'shop_country'],
  ['x_url_callback', 'urlCallback', 'url_callback'],
  ['x_url_cancel', 'urlCancel', 'url_cancel'],
  ['x_url_complete', 'urlComplete', 'url_complete'],
];

/** Returns the names of the signed fields in which a repeated reference differs. Empty: the same request. */
export function differingFields(transaction: Transaction, input: TransactionInput): string[] {
  return COMPARED.filter(
    // An erased e-mail address counts as equal.
    ([, given, stored]) =>
      input[given] !== transaction[stored] && (stored !== 'customer_email' || transaction[stored] !== ''),
  ).map(([name]) => name);
}

/** Returns the smallest amount that payment methods collect, in minor units. */
export function leastAmount(currency: string): number {
  return currency === 'CLP' ? 500 : 1;
}

/** Returns whether a transaction is pending and its time is not over. */
export function isPayable({ state, expires_at }: Transaction, now: number): boolean {
  return state === 'pending' && expires_at > now;
}

/**
 * Makes the token of the pay page's URL: the id and the environment, which find the row without an index over random
 * keys, and 128 random bits, which are compared in constant time, so that nobody finds another payer's page.
 */
export function payToken({ id, environment_id, pay_secret }: TransactionKey & Pick<Transaction, 'pay_secret'>): string {
  return `${id.toString(36)}-${environment_id.toString(36)}-${pay_secret}`;
}

/** `environmentId` is null in older tokens. */
export type PayTokenParts = { id: number; environmentId: number | null; secret: string };

/** Returns the parts of a pay token, or null if the text is not one. */
export function readPayToken(token: string): PayTokenParts | null {
  const match = /^([0-9a-z]{1,11})-(?:([0-9a-z]{1,11})-)?([\w-]{22})$/.exec(token);
  if (match === null) return null;
  const [, id, environment, secret] = match as unknown as [string, string, string | undefined, string];
  const parts = {
    id: readNumber(id),
    environmentId: environment === undefined ? null : readNumber(environment),
    secret,
  };
  return Number.isSafeInteger(parts.id) && Number.isSafeInteger(parts.environmentId ?? 0) ? parts : null;
}

function readNumber(digits: string): number {
  return Number.parseInt(digits, 36);
}
