import type { AuditRow } from '../audit/audit-row.ts';
import type { PaymentAttempt } from '../checkout/payment-attempt.ts';
import type { PaymentDecision } from '../checkout/payment-decision.ts';
import type { Reader, SqlRow } from '../db/database.ts';
import type { CallbackState } from '../outbox/callback-state.ts';
import { LEASED_UNTIL } from '../outbox/delivery-attempt-queries.ts';
import type { EventType } from '../outbox/event.ts';
import type { RefundDecision } from '../refunds/refund-decision.ts';
import type { TransactionKey } from '../transactions/transaction.ts';

export type TimelineEvent = SqlRow & { sequence: number; created_at: number; type: EventType; data: string | null };

/** Lists the events of a transaction, in the order of its sequence. */
export function selectEventsOf(db: Reader, { id, environment_id }: TransactionKey): Promise<TimelineEvent[]> {
  return db.query<TimelineEvent>(
    'select sequence, created_at, type, data from events where transaction_id = $1 and environment_id = $2 order by sequence',
    [id, environment_id],
  );
}

/** Lists the attempts to pay it, the oldest first. */
export function selectAttemptsOf(db: Reader, { id, environment_id }: TransactionKey): Promise<PaymentAttempt[]> {
  return db.query<PaymentAttempt>(
    'select * from payment_attempts where transaction_id = $1 and environment_id = $2 order by created_at, id',
    [id, environment_id],
  );
}

export type TimelineCallback = SqlRow & {
  id: number;
  created_at: number;
  state: CallbackState;
  webhook_id: string;
  url: string;
  next_attempt_at: number;
  leased_until: number | null;
  returned_at: number | null;
};

/** Lists its callbacks, the oldest first. */
export function selectCallbacksOf(db: Reader, { id, environment_id }: TransactionKey): Promise<TimelineCallback[]> {
  return db.query<TimelineCallback>(
    `select id, created_at, state, webhook_id, url, next_attempt_at, ${LEASED_UNTIL}, returned_at from callbacks c
     where transaction_id = $1 and environment_id = $2 order by id`,
    [id, environment_id],
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

/** Lists all delivery attempts of these callbacks, the oldest first. */
export function selectDeliveriesOf(
  db: Reader,
  callbackIds: readonly number[],
  environmentId: number,
): Promise<TimelineDelivery[]> {
  return db.query<TimelineDelivery>(
    `select callback_id, started_at, duration_ms, status, failure, location, excerpt from delivery_attempts
     where callback_id {among $1} and environment_id = $2 order by started_at, id`,
    [callbackIds, environmentId],
  );
}

/** Lists the decisions of people about its payment attempts. */
export function selectPaymentDecisionsOf(
  db: Reader,
  { id, environment_id }: TransactionKey,
): Promise<PaymentDecision[]> {
  return db.query<PaymentDecision>(
    `select d.* from payment_decisions d join payment_attempts a on a.id = d.payment_attempt_id and a.environment_id = d.environment_id
     where a.transaction_id = $1 and a.environment_id = $2 order by d.decided_at`,
    [id, environment_id],
  );
}

/** Lists the decisions of people about its refunds. */
export function selectRefundDecisionsOf(db: Reader, { id, environment_id }: TransactionKey): Promise<RefundDecision[]> {
  return db.query<RefundDecision>(
    `select d.* from refund_decisions d join refunds r on r.id = d.refund_id and r.environment_id = d.environment_id
     where r.transaction_id = $1 and r.environment_id = $2 order by d.decided_at`,
    [id, environment_id],
  );
}

/** Lists the acts on any of these objects, by their ids as texts, the oldest first. */
export function selectActsOn(db: Reader, subjects: readonly string[]): Promise<AuditRow[]> {
  return db.query<AuditRow>('select * from audit_log where subject {named $1} order by link', [subjects]);
}
