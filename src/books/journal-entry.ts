import type { SqlRow } from '../db/database.ts';

/** What an entry explains. `late_payment`: money that a method took for a transaction which had ended without it. */
export type EntryKind = 'payment' | 'late_payment' | 'refund';

/**
 * A row of `journal_entries`: `amount` minor units go to the debit account and come from the credit account.
 * `link` counts the postings of an environment from 1, `line` the entries of a posting from 0.
 */
export type JournalEntry = SqlRow & {
  environment_id: number;
  link: number;
  line: number;
  created_at: number;
  kind: EntryKind;
  debit_account: string;
  credit_account: string;
  amount: number;
  currency: string;
  transaction_id: number | null;
  payment_attempt_id: string | null;
  refund_id: string | null;
  hash: string;
};

export type Transfer = { debit: string; credit: string; amount: number; currency: string };

/** Everything that one change moves. */
export type Posting = {
  environmentId: number;
  kind: EntryKind;
  /** UTC milliseconds: that of the change. */
  at: number;
  transactionId: number;
  /** The attempt that collected, for a payment; the refund that gave back. */
  paymentAttemptId: string | null;
  refundId: string | null;
  transfers: readonly [Transfer, ...Transfer[]];
};

/** What the service owes to the merchant. */
export const MERCHANT_PAYABLE = 'merchant:payable';

/** Money that a method has taken and no order asked for. A person decides whose it is. */
const SUSPENSE = 'suspense';

/** What a payment method owes to the service. */
export function methodReceivable(methodCode: string): string {
  return `method:${methodCode}:receivable`;
}

type PaidTransaction = { id: number; environment_id: number; amount: number; currency: string };

/**
 * A method has collected for a transaction: the merchant's money, or nobody's when the transaction had ended without it
 * or is paid by another attempt.
 */
export function paymentPosting(
  kind: 'payment' | 'late_payment',
  { id, environment_id, amount, currency }: PaidTransaction,
  collected: { methodCode: string; attemptId: string | null },
  at: number,
): Posting {
  const credit = kind === 'payment' ? MERCHANT_PAYABLE : SUSPENSE;
  const transfer = { debit: methodReceivable(collected.methodCode), credit, amount, currency };
  return {
    environmentId: environment_id,
    kind,
    at,
    transactionId: id,
    paymentAttemptId: collected.attemptId,
    refundId: null,
    transfers: [transfer],
  };
}

/** A method has given back a part of a payment, or all of it. */
export function refundPosting(
  { id, environment_id, currency }: PaidTransaction,
  refund: { id: string; amount: number },
  methodCode: string,
  at: number,
): Posting {
  const transfer = {
    debit: MERCHANT_PAYABLE,
    credit: methodReceivable(methodCode),
    amount: refund.amount,
    currency,
  };
  return {
    environmentId: environment_id,
    kind: 'refund',
    at,
    transactionId: id,
    paymentAttemptId: null,
    refundId: refund.id,
    transfers: [transfer],
  };
}
