import type { Database, SqlRow } from '../db/database.ts';
import type { EntryKind } from './journal-entry.ts';

type Reader = Pick<Database, 'query'>;

/** Of which environments, from when until before when, and of which transaction (0: of all). */
export type ReconciliationScope = {
  environmentIds: readonly number[];
  from: number;
  to: number;
  transactionId: number;
};

/** An entry beside what it explains, as the store has that now. Amounts are in minor units. */
export type BookedLine = SqlRow & {
  environment_id: number;
  link: number;
  line: number;
  created_at: number;
  kind: EntryKind;
  debit_account: string;
  credit_account: string;
  amount: number;
  currency: string;
  transaction_id: number | null;
  payment_attempt_id: string | null;
  refund_id: string | null;
  movement_id: string | null;
  reference: string | null;
  transaction_amount: number | null;
  transaction_fee: number | null;
  transaction_currency: string | null;
  transaction_state: string | null;
  transaction_created_at: number | null;
  unsigned_fields: string | null;
  /** Of the attempt that collected; for a refund or a resolution, of the one that it is about. */
  attempt_state: string | null;
  /** JSON text: what the method told of it. */
  payment_detail: string | null;
  refund_type: 'total' | 'parcial' | null;
  refund_amount: number | null;
  refund_state: string | null;
  refund_detail: string | null;
  movement_kind: 'payout' | 'deposit' | 'resolution' | null;
  movement_reference: string | null;
  movement_amount: number | null;
  movement_commission: number | null;
  movement_currency: string | null;
  movement_decision: 'returned' | 'kept' | null;
  /** What of the transaction has been given back until now. */
  refunded: number;
};

/** In the order of the books. */
export function selectBookedLines(db: Reader, scope: ReconciliationScope): Promise<BookedLine[]> {
  return db.query<BookedLine>(
    `select j.environment_id, j.link, j.line, j.created_at, j.kind, j.debit_account, j.credit_account, j.amount,
       j.currency, j.transaction_id, j.payment_attempt_id, j.refund_id, j.movement_id, t.reference, t.amount as transaction_amount,
       t.fee as transaction_fee, t.currency as transaction_currency, t.state as transaction_state,
       t.created_at as transaction_created_at, t.unsigned_fields, a.state as attempt_state, a.detail as payment_detail,
       r.type as refund_type, r.amount as refund_amount, r.state as refund_state, r.detail as refund_detail,
       m.kind as movement_kind, m.reference as movement_reference, m.amount as movement_amount,
       m.commission as movement_commission, m.currency as movement_currency, m.decision as movement_decision,
       (select cast(coalesce(sum(given.amount), 0) as bigint) from refunds given
        where given.transaction_id = j.transaction_id and given.state = 'completed') as refunded
     from journal_entries j
     left join transactions t on t.id = j.transaction_id
     left join refunds r on r.id = j.refund_id
     left join movements m on m.id = j.movement_id
     left join payment_attempts a on a.id = coalesce(j.payment_attempt_id, (
       select l.payment_attempt_id from journal_entries l
       where l.transaction_id = j.transaction_id and m.kind = 'resolution' and l.link || '.' || l.line = m.reference), (
       select p.id from payment_attempts p where p.transaction_id = j.transaction_id and p.state = 'approved'))
     where j.environment_id in {ids} and j.created_at >= $2 and j.created_at < $3
       and (j.transaction_id = $4 or $4 = 0)
     order by j.environment_id, j.link, j.line`,
    parametersOf(scope),
  );
}

/** What was completed or recorded, and that no entry explains. */
export type Unbooked = { transaction_id: number | null; refund_id: string | null; movement_id: string | null };

/** Payments with their fees, refunds, and what a person recorded. */
export function selectUnbooked(db: Reader, scope: ReconciliationScope): Promise<Unbooked[]> {
  return db.query<Unbooked>(
    `select t.id as transaction_id, null as refund_id, null as movement_id from transactions t
     where t.state = 'completed' and t.settled_at >= $2 and t.settled_at < $3 and t.environment_id in {ids}
       and (t.id = $4 or $4 = 0)
       and (not exists (select 1 from journal_entries j where j.transaction_id = t.id and j.kind = 'payment')
         or t.fee > 0 and not exists (select 1 from journal_entries j where j.transaction_id = t.id and j.kind = 'fee'))
     union all
     select r.transaction_id, r.id, null from refunds r join transactions t on t.id = r.transaction_id
     where r.state = 'completed' and r.settled_at >= $2 and r.settled_at < $3 and t.environment_id in {ids}
       and (t.id = $4 or $4 = 0)
       and not exists (select 1 from journal_entries j where j.transaction_id = t.id and j.refund_id = r.id)
     union all
     select m.transaction_id, null, m.id from movements m
     where m.created_at >= $2 and m.created_at < $3 and m.environment_id in {ids} and (m.transaction_id = $4 or $4 = 0)
       and (not exists (select 1 from journal_entries j where j.movement_id = m.id and j.kind <> 'commission')
         or m.commission > 0
           and not exists (select 1 from journal_entries j where j.movement_id = m.id and j.kind = 'commission'))
     order by transaction_id nulls last, refund_id nulls first, movement_id nulls first`,
    parametersOf(scope),
  );
}

function parametersOf(scope: ReconciliationScope) {
  return [JSON.stringify(scope.environmentIds), scope.from, scope.to, scope.transactionId];
}
