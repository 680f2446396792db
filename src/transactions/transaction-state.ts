export const TRANSACTION_STATES = ['pending', 'completed', 'failed', 'cancelled', 'expired'] as const;

export type TransactionState = (typeof TRANSACTION_STATES)[number];

/**
 * The events of a transaction. `decline`: a payment method refused, and the payer may try again. `fail`: the last
 * attempt was declined, or the payer gave up or ran out of time after a decline.
 */
export type TransactionEvent = 'approve' | 'decline' | 'fail' | 'cancel' | 'expire';

/**
 * THE TABLE. The new state after an event. `stays`: the transaction can still be paid. `already`: the event has
 * happened before. `conflict`: the event contradicts the state, for example a payment for a transaction that ended
 * without one. A conflict is recorded and alarmed, never dropped and never resolved silently.
 */
const TABLE: Record<
  TransactionState,
  Record<TransactionEvent, TransactionState | 'stays' | 'already' | 'conflict' | 'ignored'>
> = {
  pending: { approve: 'completed', decline: 'stays', fail: 'failed', cancel: 'cancelled', expire: 'expired' },
  completed: { approve: 'already', decline: 'conflict', fail: 'conflict', cancel: 'ignored', expire: 'ignored' },
  failed: { approve: 'conflict', decline: 'already', fail: 'already', cancel: 'ignored', expire: 'ignored' },
  cancelled: { approve: 'conflict', decline: 'ignored', fail: 'ignored', cancel: 'already', expire: 'ignored' },
  expired: { approve: 'conflict', decline: 'ignored', fail: 'ignored', cancel: 'ignored', expire: 'already' },
};

export type NextState =
  | { kind: 'moved'; state: TransactionState }
  | { kind: 'stays' }
  | { kind: 'already' }
  | { kind: 'ignored' }
  | { kind: 'conflict' };

/** Reads the table. */
export function nextState(state: TransactionState, event: TransactionEvent): NextState {
  const next = TABLE[state][event];
  if (next === 'stays' || next === 'already' || next === 'conflict' || next === 'ignored') return { kind: next };
  return { kind: 'moved', state: next };
}

/** The number of declined attempts that ends a transaction, unless its payment service sets another one. */
export const DEFAULT_PAYER_ATTEMPTS = 5;

/**
 * Returns the event of a decline. `declined` includes this decline. After `expiresAt` (UTC milliseconds) the payer
 * cannot try again.
 */
export function declineEvent(
  { declined, expiresAt, at }: { declined: number; expiresAt: number; at: number },
  payerAttempts: number | null,
): 'decline' | 'fail' {
  return declined >= (payerAttempts ?? DEFAULT_PAYER_ATTEMPTS) || at >= expiresAt ? 'fail' : 'decline';
}
