import type { SqlRow } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { TransactionState } from './transaction-state.ts';

/** The transaction that a merchant asks for. `amount` is in minor units; the texts are as they were signed. */
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
  /** JSON text of the four optional objects, or null. Stored, and never believed for money or identity. */
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
  /** The fee that the service kept of the payment, in minor units; 0 before it. */
  fee: number;
};

/** The key of a transaction. Its id alone would have to be looked for everywhere. */
export type TransactionKey = RowKey<number>;

/** Reads the key of the transaction from a row, such as a payment attempt, a refund or a callback. */
export function transactionKeyOf(row: { transaction_id: number; environment_id: number }): TransactionKey {
  return { id: row.transaction_id, environment_id: row.environment_id };
}

/** The signed fields, by the name under which a difference is reported. */
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

/** The names of the signed fields in which a repeated reference differs. Empty: it is the same request again. */
export function differingFields(transaction: Transaction, input: TransactionInput): string[] {
  return COMPARED.filter(
    // One that was erased for its person says nothing any more.
    ([, given, stored]) =>
      input[given] !== transaction[stored] && (stored !== 'customer_email' || transaction[stored] !== ''),
  ).map(([name]) => name);
}

/** Whether a payer may still pay it, or is paying it. */
export function isPayable({ state, expires_at }: Transaction, now: number): boolean {
  return state === 'pending' && expires_at > now;
}

/**
 * The token of the pay page's address: the id and the environment, which lead to the row without an index over random keys,
 * and 128 random bits, compared in constant time, so that nobody finds another's page.
 */
export function payToken({ id, environment_id, pay_secret }: TransactionKey & Pick<Transaction, 'pay_secret'>): string {
  return `${id.toString(36)}-${environment_id.toString(36)}-${pay_secret}`;
}

/** `environmentId` is null in a token of before they said it. */
export type PayTokenParts = { id: number; environmentId: number | null; secret: string };

/** The parts of a pay token, or null for another text. */
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
