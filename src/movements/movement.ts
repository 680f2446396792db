import type { PayoutNotice } from '../../protocol/verify-notice.ts';
import {
  BANK,
  type EntryKind,
  FEES_ACQUIRER,
  MERCHANT_PAYABLE,
  methodReceivable,
  type Posting,
  SUSPENSE,
  type SuspendedKind,
  type Transfer,
} from '../books/journal-entry.ts';
import { movementHash } from '../books/movement-hash.ts';
import type { SqlRow } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';

/**
 * The kinds of movements: money that moved outside the service, as a person recorded it. `payout`: it was sent to the
 * merchant. `deposit`: it came from a payment method, or the merchant paid it in. `resolution`: the decision about
 * money in suspense, or the return of a payout or deposit.
 */
export type MovementKind = 'payout' | 'deposit' | 'resolution';

/**
 * `returned`: the money is where it was before: a late payment went back at the method, the method recovered an unasked
 * refund, a payout came back from the bank, or a deposit never came. `kept`: the money is the merchant's gain (late
 * payment) or loss (unasked refund).
 */
export type Decision = 'returned' | 'kept';

/** The kinds of the entries that movements have: what each was, as the books say it. */
export const BOOKED_KINDS = [
  'deposit',
  'deposit_returned',
  'paid_in',
  'paid_in_returned',
  'payout',
  'payout_returned',
  'returned',
  'kept',
  'recovered',
  'charged',
] as const satisfies readonly EntryKind[];

/** A row of `movements`; it never changes. Amounts are in minor units, times UTC milliseconds. */
export type Movement = SqlRow & {
  id: string;
  environment_id: number;
  kind: MovementKind;
  /** The reference of the record. For a resolution: the entry in suspense, or what was returned (`returnReference`). */
  reference: string;
  amount: number;
  /** For a deposit: the amount that the acquirer kept, in addition to the amount that arrived. */
  commission: number;
  currency: string;
  created_at: number;
  recorded_by: string;
  payment_method: string | null;
  transaction_id: number | null;
  decision: Decision | null;
  reason: string | null;
};

const CONTENT = ['amount', 'commission', 'currency', 'payment_method', 'decision'] as const;

/** Returns whether two records have the same content. Ignores who recorded them, when and why. */
export function saysTheSame(one: Movement, other: Movement): boolean {
  return CONTENT.every((column) => one[column] === other[column]);
}

/**
 * Returns the reference of the return of a payout or deposit. It has a space, so it differs from every entry's name.
 */
export function returnReference({ kind, reference }: Pick<Movement, 'kind' | 'reference'>): string {
  return `${kind} ${reference}`;
}

/** Makes the record that takes back a whole payout or deposit. */
export function returnOf(
  movement: Movement,
  { id, at, by, reason }: { id: string; at: number; by: string; reason: string },
): Movement {
  const reference = returnReference(movement);
  const said = { created_at: at, recorded_by: by, decision: 'returned', reason } as const;
  return { ...movement, id, kind: 'resolution', reference, ...said };
}

/** Returns whether a text may be the reference of a record: 1 to 100 visible ASCII characters. */
export function isBankReference(text: string): boolean {
  return /^[!-~](?:[ -~]{0,98}[!-~])?$/.test(text);
}

function isReturnedDeposit({ kind, reference }: Movement): boolean {
  return kind === 'resolution' && reference.startsWith('deposit ');
}

/** Makes the posting of a movement. `resolved`: for a resolution of suspense, the kind of the entry. */
export function movementPosting(movement: Movement, resolved: SuspendedKind = 'late_payment'): Posting {
  const { id, environment_id, created_at, transaction_id, amount, commission, currency } = movement;
  const moved: Transfer = { ...sidesOf(movement, resolved), amount, currency };
  const kept: Transfer = isReturnedDeposit(movement)
    ? { ...moved, kind: 'commission_returned', credit: FEES_ACQUIRER, amount: commission }
    : { ...moved, kind: 'commission', debit: FEES_ACQUIRER, amount: commission };
  return {
    environmentId: environment_id,
    at: created_at,
    transactionId: transaction_id,
    movement: { id, hash: movementHash((column) => movement[column]) },
    transfers: commission > 0 ? [moved, kept] : [moved],
  };
}

/** Returns the entries of a movement, without their place in the books. */
export function movementEntries(movement: Movement) {
  return movementPosting(movement).transfers.map(({ debit, credit, ...transfer }) => ({
    ...transfer,
    debit_account: debit,
    credit_account: credit,
  }));
}

type Sides = Pick<Transfer, 'kind' | 'debit' | 'credit'>;

function sidesOf(movement: Movement, resolved: SuspendedKind): Sides {
  const { kind, decision, payment_method } = movement;
  const receivable = methodReceivable(payment_method ?? '');
  if (kind === 'payout') return { kind, debit: MERCHANT_PAYABLE, credit: BANK };
  if (kind === 'deposit' && payment_method === null) return { kind: 'paid_in', debit: BANK, credit: MERCHANT_PAYABLE };
  if (kind === 'deposit') return { kind, debit: BANK, credit: receivable };
  if (isReturnedDeposit(movement)) {
    if (payment_method === null) return { kind: 'paid_in_returned', debit: MERCHANT_PAYABLE, credit: BANK };
    return { kind: 'deposit_returned', debit: receivable, credit: BANK };
  }
  // Money in suspense always has a payment method, and a payout has none.
  if (payment_method === null) return { kind: 'payout_returned', debit: BANK, credit: MERCHANT_PAYABLE };
  if (resolved === 'unasked_refund') {
    if (decision === 'kept') return { kind: 'charged', debit: MERCHANT_PAYABLE, credit: SUSPENSE };
    return { kind: 'recovered', debit: receivable, credit: SUSPENSE };
  }
  if (decision === 'kept') return { kind: decision, debit: SUSPENSE, credit: MERCHANT_PAYABLE };
  return { kind: 'returned', debit: SUSPENSE, credit: receivable };
}

/** Makes the event of a payout, for the feed and for subscribers. */
export function payoutEvent({ id, environment_id, reference, amount, currency, created_at }: Movement) {
  const told = { id, reference, amount: formatDecimal(amount, currency), currency };
  const payout = told satisfies PayoutNotice['data']['payout'];
  const type = 'payout.recorded' as const;
  return { environmentId: environment_id, type, createdAt: created_at, data: { payout } };
}
