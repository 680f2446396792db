import type { App } from '../app.ts';
import { methodOfReceivable } from '../books/journal-entry.ts';
import { postEntries } from '../books/post-entries.ts';
import { prefixedId } from '../lib/ids.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { type Decision, type Movement, movementPosting } from './movement.ts';
import { insertMovement, type LatePayment, selectLatePayments } from './movement-queries.ts';

/** `reason` names no person. */
export type SuspenseDecision = { decision: Decision; reason: string; recordedBy: string };

/**
 * `already`: the same was decided before. `different`: something else was. `nothing`: no money of this transaction ever was
 * in suspense. `amount` is what was decided about now, or before.
 */
export type Resolution =
  | { kind: 'resolved' | 'already' | 'different'; amount: number; currency: string }
  | { kind: 'nothing' };

/** More than a transaction can have attempts that came too late. */
const ALL = 1000;

/**
 * Decides about all the money of a transaction that is in suspense, in one commit with its entries. Once only: what was
 * decided stays. Rejects with `StorageError`.
 */
export function resolveSuspense(app: App, transactionId: number, decided: SuspenseDecision): Promise<Resolution> {
  const now = app.now();
  return app.db.transaction<Resolution>(async (tx) => {
    // Late payments are booked under this lock too.
    await lockTransaction(tx, transactionId);
    const late = await selectLatePayments(tx, transactionId, ALL);
    const [first] = late;
    if (first === undefined) return { kind: 'nothing' };
    const open = late.filter(({ decision }) => decision === null);
    if (open.length === 0) {
      const same = late.every(({ decision }) => decision === decided.decision);
      return { kind: same ? 'already' : 'different', ...sumOf(late, first) };
    }
    const movements = open.map((payment) => newResolution(payment, decided, now));
    for (const movement of movements) await insertMovement(tx, movement);
    for (const movement of movements) await postEntries(tx, movementPosting(movement));
    return { kind: 'resolved', ...sumOf(open, first) };
  });
}

function newResolution(late: LatePayment, { decision, reason, recordedBy }: SuspenseDecision, now: number): Movement {
  return {
    id: prefixedId('mv'),
    environment_id: late.environment_id,
    kind: 'resolution',
    reference: late.entry,
    amount: late.amount,
    commission: 0,
    currency: late.currency,
    created_at: now,
    recorded_by: recordedBy,
    payment_method: methodOfReceivable(late.debit_account),
    transaction_id: late.transaction_id,
    decision,
    reason,
  };
}

function sumOf(payments: readonly LatePayment[], { currency }: LatePayment) {
  return { amount: payments.reduce((sum, { amount }) => sum + amount, 0), currency };
}
