/** The types of events, in the words of the feed. */
export type EventType =
  | 'transaction.created'
  | 'transaction.completed'
  | 'transaction.failed'
  | 'transaction.cancelled'
  | 'transaction.expired'
  | 'transaction.conflict'
  | 'refund.processing'
  | 'refund.completed'
  | 'refund.failed'
  | 'payout.recorded'
  | `payout.${'awaiting_approval' | 'approved' | 'rejected' | 'cancelled' | 'sent' | 'unknown' | 'confirmed' | 'failed' | 'returned' | 'contradicted'}`
  | 'bank_account_validation.updated';

/** An event of a transaction, before it has its place in the feed. `sequence` counts within the transaction from 1. */
export type TransactionEventInput = {
  environmentId: number;
  transactionId: number;
  sequence: number;
  type: EventType;
  createdAt: number;
  data: Record<string, unknown> | null;
};
