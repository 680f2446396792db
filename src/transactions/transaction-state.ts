export type TransactionState = 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired';

/** What can happen to a transaction. */
export type TransactionEvent = 'approve' | 'decline' | 'cancel' | 'expire';

/**
 * THE TABLE. What a state becomes by an event; `already` says that it has happened, `conflict` that it contradicts what
 * is known: a payment that arrives for a transaction which ended without one. A conflict is recorded and alarmed, never
 * dropped and never resolved silently.
 */
const TABLE: Record<
  TransactionState,
  Record<TransactionEvent, TransactionState | 'already' | 'conflict' | 'ignored'>
> = {
  pending: { approve: 'completed', decline: 'failed', cancel: 'cancelled', expire: 'expired' },
  completed: { approve: 'already', decline: 'conflict', cancel: 'ignored', expire: 'ignored' },
  failed: { approve: 'conflict', decline: 'already', cancel: 'ignored', expire: 'ignored' },
  cancelled: { approve: 'conflict', decline: 'ignored', cancel: 'already', expire: 'ignored' },
  expired: { approve: 'conflict', decline: 'ignored', cancel: 'ignored', expire: 'already' },
};

export type NextState =
  | { kind: 'moved'; state: TransactionState }
  | { kind: 'already' }
  | { kind: 'ignored' }
  | { kind: 'conflict' };

/** Reads the table. */
export function nextState(state: TransactionState, event: TransactionEvent): NextState {
  const next = TABLE[state][event];
  if (next === 'already' || next === 'conflict' || next === 'ignored') return { kind: next };
  return { kind: 'moved', state: next };
}
