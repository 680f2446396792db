/** The types of events that are posted: all of them to users who subscribed, refunds to the events URL too. Any other is in the feed alone. */
export type PostedEventType =
  | 'refund.processing'
  | 'refund.completed'
  | 'refund.failed'
  | 'payout.recorded'
  | `payout.${'awaiting_approval' | 'approved' | 'rejected' | 'cancelled' | 'sent' | 'unknown' | 'confirmed' | 'failed' | 'returned' | 'contradicted'}`;

/** The types of events, in the words of the feed. */
export type EventType =
  | PostedEventType
  | 'transaction.created'
  | 'transaction.completed'
  | 'transaction.failed'
  | 'transaction.cancelled'
  | 'transaction.expired'
  | 'transaction.conflict'
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

/** An event that is posted, whatever it is of. */
export type PostedEvent = Pick<TransactionEventInput, 'createdAt' | 'data'> & { type: PostedEventType };
