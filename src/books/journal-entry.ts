import type { SqlRow } from '../db/database.ts';

/**
 * The kinds of entries. `late_payment`: a method took money that pays no order: its transaction had ended, another
 * attempt pays it, it exceeds the amount, or its imported line belongs to no known payment; `returned` or `kept` is the
 * decision about it. `unasked_refund`: money went back at a method without a refund of Rúbrica; `recovered` or
 * `charged` is the decision about it. `commission`: the part of a `deposit` that an acquirer kept. `paid_in`: a deposit
 * from the merchant. `payout_returned`: a `payout` came back or was never made; `deposit_returned`,
 * `commission_returned` and `paid_in_returned`: a deposit never came. For a payout to a recipient: `payout_reserved`
 * when it is approved, `payout_paid` when it arrives, `payout_released` when it does not leave, `payout_reversed` when
 * it comes back after it arrived.
 */
export type EntryKind =
  | 'payment'
  | 'fee'
  | 'late_payment'
  | 'refund'
  | 'unasked_refund'
  | 'recovered'
  | 'charged'
  | 'payout'
  | 'payout_returned'
  | 'payout_reserved'
  | 'payout_paid'
  | 'payout_released'
  | 'payout_reversed'
  | 'deposit'
  | 'deposit_returned'
  | 'paid_in'
  | 'paid_in_returned'
  | 'commission'
  | 'commission_returned'
  | 'returned'
  | 'kept';

/** The kinds that put money into suspense. */
export type SuspendedKind = Extract<EntryKind, 'late_payment' | 'unasked_refund'>;

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
  movement_id: string | null;
  /** The hash of the movement, see movement-hash.ts. */
  movement_hash: string | null;
  /** The hash of the owner of the books, see record-hash.ts; null in links from before it was hashed. */
  owner_hash: string | null;
  /**
   * The hash of the record behind the entry, see record-hash.ts and payout-hash.ts; null if the only record is a
   * movement, and in older links.
   */
  record_hash: string | null;
  payout_id: string | null;
  hash: string;
};

/**
 * `payout`: the payout that the transfer explains, with its hash (payout-hash.ts). A posting can include many payouts.
 */
export type Transfer = {
  kind: EntryKind;
  debit: string;
  credit: string;
  amount: number;
  currency: string;
  payout?: { id: string; hash: string };
};

/** All transfers of one change. */
export type Posting = {
  environmentId: number;
  /** UTC milliseconds, the time of the change. */
  at: number;
  transactionId: number | null;
  /** The explained record: the attempt that collected, the completed refund, or the movement that a person recorded. */
  paymentAttemptId?: string | null;
  refundId?: string | null;
  movement?: { id: string; hash: string };
  transfers: readonly [Transfer, ...Transfer[]];
};

/** The account of the merchant's money, which the service owes to the merchant. */
export const MERCHANT_PAYABLE = 'merchant:payable';

/**
 * The account of money that a method took without an order, or refunded without a refund of Rúbrica. A person decides
 * whose money it is.
 */
export const SUSPENSE = 'suspense';

/** The account of approved payouts that have not arrived. */
export const PAYOUTS_RESERVED = 'payouts:reserved';

/** The account of the fees that the service has earned. */
export const FEES_INCOME = 'fees:income';

/** The account of the commissions that acquirers have kept. */
export const FEES_ACQUIRER = 'fees:acquirer';

/** The service's own account at a bank. */
export const BANK = 'bank';

/** Names the account of the money that a payment method owes to the service. */
export function methodReceivable(methodCode: string): string {
  return `method:${methodCode}:receivable`;
}

/** Returns the code of the payment method of such an account. */
export function methodOfReceivable(account: string): string {
  return account.split(':')[1] ?? '';
}

type PaidTransaction = { id: number; environment_id: number; amount: number; currency: string; fee: number };

/**
 * Makes the posting of money that a method collected. A `payment` goes to the merchant, less the fee, and the part of
 * `taken` above the transaction's amount goes to suspense. A `late_payment` (the transaction had ended without it, or
 * another attempt pays it) goes to suspense.
 */
export function paymentPosting(
  kind: 'payment' | 'late_payment',
  transaction: PaidTransaction,
  collected: { methodCode: string; attemptId: string | null; taken: number },
  at: number,
): Posting {
  const { amount, currency, fee } = transaction;
  const debit = methodReceivable(collected.methodCode);
  const late: Transfer = { kind: 'late_payment', debit, credit: SUSPENSE, amount: collected.taken, currency };
  const payment: Transfer = { kind: 'payment', debit, credit: MERCHANT_PAYABLE, amount, currency };
  const kept: Transfer = { kind: 'fee', debit: MERCHANT_PAYABLE, credit: FEES_INCOME, amount: fee, currency };
  const over = { ...late, amount: collected.taken - amount };
  const transfers: Posting['transfers'] =
    kind === 'payment' ? [payment, ...(fee > 0 ? [kept] : []), ...(over.amount > 0 ? [over] : [])] : [late];
  return { ...postingOf(transaction, at, transfers), paymentAttemptId: collected.attemptId };
}

/**
 * Makes the posting of a refund, of a part of a payment or all of it. The service keeps its fee. `from` is the account
 * that the money comes from: the method's receivable, or suspense if the method's part was already booked there before
 * anybody knew whose it was.
 */
export function refundPosting(
  transaction: Omit<PaidTransaction, 'fee'>,
  refund: { id: string; amount: number },
  from: string,
  at: number,
): Posting {
  const { currency } = transaction;
  const credit = from;
  const back: Transfer = { kind: 'refund', debit: MERCHANT_PAYABLE, credit, amount: refund.amount, currency };
  return { ...postingOf(transaction, at, [back]), refundId: refund.id };
}

/**
 * Makes the posting of money that a method refunded without a refund of Rúbrica: suspense, until a person decides whose
 * money it is. `id` null: the money belonged to no transaction.
 */
export function unaskedRefundPosting(
  transaction: Pick<PaidTransaction, 'environment_id' | 'currency'> & { id: number | null },
  amount: number,
  methodCode: string,
  at: number,
): Posting {
  const { currency } = transaction;
  const credit = methodReceivable(methodCode);
  return postingOf(transaction, at, [{ kind: 'unasked_refund', debit: SUSPENSE, credit, amount, currency }]);
}

function postingOf(
  { id, environment_id }: Pick<PaidTransaction, 'environment_id'> & { id: number | null },
  at: number,
  transfers: Posting['transfers'],
): Posting {
  return { environmentId: environment_id, at, transactionId: id, transfers };
}
