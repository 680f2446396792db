import { type EntryKind, methodReceivable, SUSPENSE } from './journal-entry.ts';
import { movementHash } from './movement-hash.ts';
import { payoutHash } from './payout-hash.ts';
import type { BookedLine, Unbooked } from './reconciliation-queries.ts';
import { recordHash } from './record-hash.ts';

/**
 * `unbooked`: a payment or refund was completed, or a movement recorded, without an entry. `unexplained`: the entry and
 * the record that it names differ. `booked_twice`: more than one entry explains the same record.
 */
export type ReconciliationProblem = Unbooked & {
  problem: 'unbooked' | 'unexplained' | 'booked_twice';
  entry: string | null;
  /** The payout to a recipient that the entry names; null: none. */
  payout_id: string | null;
};

/** Returns the place of an entry in the books of its environment, as `LINK.LINE`. */
export function entryName({ link, line }: Pick<BookedLine, 'link' | 'line'>): string {
  return `${link}.${line}`;
}

/** Returns whether an entry agrees with the record that it explains. */
export function isExplained(line: BookedLine): boolean {
  if (
    line.currency !==
    (line.movement_currency ?? line.payout_currency ?? line.transaction_currency ?? line.imported_currency)
  )
    return false;
  if (line.transaction_id !== null && line.transaction_environment_id !== line.environment_id) return false;
  if (line.payout_id !== null) return isOfPayout(line);
  if (!isAsBooked(line) || !isAsRecorded(line)) return false;
  const isPaid = line.transaction_state === 'completed' && line.attempt_state === 'approved';
  const receivable = methodReceivable(line.transaction_method ?? '');
  switch (line.kind) {
    case 'payment':
      return (
        isPaid &&
        line.transaction_amount === line.amount &&
        line.transaction_settled_at === line.created_at &&
        receivable === line.debit_account
      );
    case 'fee':
      return isPaid && line.transaction_fee === line.amount;
    case 'late_payment':
      if (line.transaction_id === null) return line.amount === line.imported_amount;
      return (
        line.amount ===
        (line.decided_amount ?? line.transaction_amount ?? 0) - (isPaid ? (line.transaction_amount ?? 0) : 0)
      );
    case 'refund':
      return (
        line.refund_state === 'completed' &&
        line.refund_amount === line.amount &&
        line.refund_transaction_id === line.transaction_id &&
        line.refund_settled_at === line.created_at &&
        (line.movement_id === null
          ? receivable === line.credit_account
          : line.credit_account === SUSPENSE && line.movement_decision === 'kept')
      );
    case 'unasked_refund':
      return isUnasked(line);
    case 'payout':
    case 'deposit':
      return line.movement_kind === line.kind && line.movement_amount === line.amount;
    case 'paid_in':
      return isPaidIn(line);
    case 'commission':
      return line.movement_kind === 'deposit' && line.movement_commission === line.amount;
    case 'commission_returned':
      return line.movement_decision === 'returned' && line.movement_commission === line.amount;
    case 'payout_returned':
    case 'deposit_returned':
    case 'paid_in_returned':
    case 'recovered':
    case 'returned':
      return line.movement_decision === 'returned' && line.movement_amount === line.amount;
    case 'charged':
    case 'kept':
      return line.movement_decision === 'kept' && line.movement_amount === line.amount;
    case 'payout_reserved':
    case 'payout_paid':
    case 'payout_released':
    case 'payout_reversed':
      // An entry of this kind without a payout explains nothing.
      return false;
  }
}

/**
 * Money without a transaction is of a line that was imported from the acquirer's file. So is more than the order: the
 * chargeback of a payment whose excess a person had kept.
 */
function isUnasked(line: BookedLine): boolean {
  if (line.debit_account !== SUSPENSE) return false;
  if (line.transaction_id === null) return line.amount === line.imported_amount;
  return (
    line.transaction_state === 'completed' &&
    methodReceivable(line.transaction_method ?? '') === line.credit_account &&
    (line.amount <= (line.transaction_amount ?? 0) || line.amount === line.imported_amount)
  );
}

function isPaidIn({ movement_kind, movement_payment_method, movement_amount, amount }: BookedLine): boolean {
  return movement_kind === 'deposit' && movement_payment_method === null && movement_amount === amount;
}

/** The states that a payout can have, by the kind of its entry. */
const STATES_WITH: Readonly<Partial<Record<EntryKind, readonly string[]>>> = {
  payout_reserved: ['approved', 'sent', 'unknown', 'confirmed', 'failed', 'cancelled', 'returned'],
  payout_paid: ['confirmed', 'returned'],
  payout_released: ['failed', 'cancelled'],
  payout_reversed: ['returned'],
};

function isOfPayout(line: BookedLine): boolean {
  const states = STATES_WITH[line.kind] ?? [];
  return (
    line.payout_amount === line.amount &&
    states.includes(line.payout_state ?? '') &&
    line.record_hash === payoutHash(line.payout_id, line)
  );
}

/** Makes the problem of an entry. */
export function problemOf(line: BookedLine, problem: ReconciliationProblem['problem']): ReconciliationProblem {
  const { environment_id, transaction_id, refund_id, movement_id, payout_id } = line;
  const payment_method = line.transaction_method ?? line.movement_payment_method;
  const subject = { environment_id, transaction_id, refund_id, movement_id, payout_id, payment_method };
  return { problem, entry: entryName(line), ...subject };
}

/**
 * Returns whether the movement still has the hash of its entry. Links from before movements were hashed have no hash,
 * and pass.
 */
function isAsRecorded(line: BookedLine): boolean {
  return line.movement_hash === null || line.movement_hash === movementHash((column) => line[`movement_${column}`]);
}

/**
 * Returns whether the record (references, authorisation codes and so on) still has the hash of its entry. Links from
 * before records were hashed pass. Late money can be booked before its attempt is approved; then the hash does not
 * cover the method's answer.
 */
function isAsBooked(line: BookedLine): boolean {
  if (line.record_hash === null) return true;
  if (line.record_hash === recordHash(line, line, true)) return true;
  return line.kind === 'late_payment' && line.record_hash === recordHash(line, line, false);
}
