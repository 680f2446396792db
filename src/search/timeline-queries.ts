import type { PaymentAttempt } from '../checkout/payment-attempt.ts';
import type { PaymentDecision } from '../checkout/payment-decision.ts';
import type { Database, SqlRow } from '../db/database.ts';
import type { CallbackState } from '../outbox/callback-state.ts';
import type { EventType } from '../outbox/event.ts';
import type { RefundDecision } from '../refunds/refund-decision.ts';

type Reader = Pick<Database, 'query'>;

export type TimelineEvent = SqlRow & { sequence: number; created_at: number; type: EventType; data: string | null };

/** What happened to a transaction, in the order of its sequence. */
export function selectEventsOf(db: Reader, transactionId: number): Promise<TimelineEvent[]> {
  return db.query<TimelineEvent>(
    'select sequence, created_at, type, data from events where transaction_id = $1 order by sequence',
    [transactionId],
  );
}

/** Every attempt to pay it, the first first. */
export function selectAttemptsOf(db: Reader, transactionId: number): Promise<PaymentAttempt[]> {
  return db.query<PaymentAttempt>('select * from payment_attempts where transaction_id = $1 order by created_at, id', [
    transactionId,
  ]);
}

export type TimelineCallback = SqlRow & {
  id: number;
  created_at: number;
  state: CallbackState;
  webhook_id: string;
  url: string;
  next_attempt_at: number;
  returned_at: number | null;
};

/** Every callback that tells of it, the first first. */
export function selectCallbacksOf(db: Reader, transactionId: number): Promise<TimelineCallback[]> {
  return db.query<TimelineCallback>(
    `select id, created_at, state, webhook_id, url, next_attempt_at, returned_at from callbacks
     where transaction_id = $1 order by id`,
    [transactionId],
  );
}

export type TimelineDelivery = SqlRow & {
  callback_id: number;
  started_at: number;
  duration_ms: number;
  status: number | null;
  failure: string | null;
  location: string | null;
  excerpt: string | null;
};

/** Every attempt to deliver one of these callbacks, the first first. */
export function selectDeliveriesOf(db: Reader, callbackIds: readonly number[]): Promise<TimelineDelivery[]> {
  return db.query<TimelineDelivery>(
    `select callback_id, started_at, duration_ms, status, failure, location, excerpt from delivery_attempts
     where callback_id in {ids} order by started_at, id`,
    [JSON.stringify(callbackIds)],
  );
}

/** What persons decided about its payment attempts. */
export function selectPaymentDecisionsOf(db: Reader, transactionId: number): Promise<PaymentDecision[]> {
  return db.query<PaymentDecision>(
    `select d.* from payment_decisions d join payment_attempts a on a.id = d.payment_attempt_id
     where a.transaction_id = $1 order by d.decided_at`,
    [transactionId],
  );
}

/** What persons decided about its refunds. */
export function selectRefundDecisionsOf(db: Reader, transactionId: number): Promise<RefundDecision[]> {
  return db.query<RefundDecision>(
    `select d.* from refund_decisions d join refunds r on r.id = d.refund_id
     where r.transaction_id = $1 order by d.decided_at`,
    [transactionId],
  );
}
