/**
 * The types of events that may be posted: to subscribed users if their webhook has the type (`WEBHOOKS`), and refunds
 * also to the events URL. Other types are only in the feed.
 */
export type PostedEventType =
  | 'refund.processing'
  | 'refund.completed'
  | 'refund.failed'
  | 'payout.recorded'
  | `payout.${'awaiting_approval' | 'approved' | 'rejected' | 'cancelled' | 'sent' | 'unknown' | 'confirmed' | 'failed' | 'returned' | 'contradicted'}`;

/** The types of events, as in the feed. */
export type EventType =
  | PostedEventType
  | 'transaction.created'
  | 'transaction.completed'
  | 'transaction.failed'
  | 'transaction.cancelled'
  | 'transaction.expired'
  | 'transaction.conflict'
  | 'transaction.resolved'
  | 'bank_account_validation.updated';

/** An event of a transaction before it is in the feed. `sequence` counts from 1 within the transaction. */
export type TransactionEventInput = {
  environmentId: number;
  transactionId: number;
  sequence: number;
  type: EventType;
  createdAt: number;
  data: Record<string, unknown> | null;
};

/** An event that may be posted, of a transaction or not. */
export type PostedEvent = Pick<TransactionEventInput, 'createdAt' | 'data'> & { type: PostedEventType };
