import type { PaymentAttempt } from '../checkout/payment-attempt.ts';
import type { Reader } from '../db/database.ts';
import type { Refund } from '../refunds/refund.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** A span of time in one environment, both ends included. */
export type RecordedSpan = { environmentId: number; from: number; to: number };

/** Lists the transactions that shops created in the span, by id. A payment of a payment link leads back to no shop. */
export function selectRecordedTransactions(
  db: Reader,
  { environmentId, from, to }: RecordedSpan,
): Promise<Transaction[]> {
  return db.query<Transaction>(
    `select * from transactions
     where environment_id = $1 and created_at >= $2 and created_at <= $3 and url_complete <> '' order by id`,
    [environmentId, from, to],
  );
}

type RecordedAttempt = Pick<PaymentAttempt, 'transaction_id' | 'created_at' | 'payment_method' | 'state' | 'lookups'>;

/** Lists the payment attempts started in the span. */
export function selectRecordedAttempts(
  db: Reader,
  { environmentId, from, to }: RecordedSpan,
): Promise<RecordedAttempt[]> {
  return db.query<RecordedAttempt>(
    `select transaction_id, created_at, payment_method, state, lookups from payment_attempts
     where environment_id = $1 and created_at >= $2 and created_at <= $3 order by created_at, id`,
    [environmentId, from, to],
  );
}

type RecordedRefund = Pick<Refund, 'id' | 'transaction_id' | 'created_at' | 'amount' | 'type' | 'state'>;

/** Lists the refunds requested in the span. */
export function selectRecordedRefunds(
  db: Reader,
  { environmentId, from, to }: RecordedSpan,
): Promise<RecordedRefund[]> {
  return db.query<RecordedRefund>(
    `select id, transaction_id, created_at, amount, type, state from refunds
     where environment_id = $1 and created_at >= $2 and created_at <= $3 order by created_at, transaction_id, sequence`,
    [environmentId, from, to],
  );
}

export type RecordedEvent = {
  [column: string]: string | number | null;
  transaction_id: number;
  created_at: number;
  type: string;
  data: string | null;
};

/** Lists the events of transactions in the span, in order within each transaction. */
export function selectRecordedEvents(db: Reader, { environmentId, from, to }: RecordedSpan): Promise<RecordedEvent[]> {
  return db.query<RecordedEvent>(
    `select transaction_id, created_at, type, data from events
     where environment_id = $1 and transaction_id is not null and created_at >= $2 and created_at <= $3
     order by transaction_id, sequence`,
    [environmentId, from, to],
  );
}
