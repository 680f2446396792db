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
  reference: string | null;
  transaction_amount: number | null;
  transaction_currency: string | null;
  transaction_state: string | null;
  transaction_created_at: number | null;
  unsigned_fields: string | null;
  /** Of the attempt that collected; for a refund, of the one that is given back. */
  attempt_state: string | null;
  /** JSON text: what the method told of it. */
  payment_detail: string | null;
  refund_type: 'total' | 'parcial' | null;
  refund_amount: number | null;
  refund_state: string | null;
  refund_detail: string | null;
  /** What of the transaction has been given back until now. */
  refunded: number;
};

/** In the order of the books. */
export function selectBookedLines(db: Reader, scope: ReconciliationScope): Promise<BookedLine[]> {
  return db.query<BookedLine>(
    `select j.environment_id, j.link, j.line, j.created_at, j.kind, j.debit_account, j.credit_account, j.amount,
       j.currency, j.transaction_id, j.payment_attempt_id, j.refund_id,
       t.reference, t.amount as transaction_amount, t.currency as transaction_currency, t.state as transaction_state,
       t.created_at as transaction_created_at, t.unsigned_fields, a.state as attempt_state, a.detail as payment_detail,
       r.type as refund_type, r.amount as refund_amount, r.state as refund_state, r.detail as refund_detail,
       (select cast(coalesce(sum(given.amount), 0) as bigint) from refunds given
        where given.transaction_id = j.transaction_id and given.state = 'completed') as refunded
     from journal_entries j
     left join transactions t on t.id = j.transaction_id
     left join payment_attempts a on a.id = coalesce(j.payment_attempt_id, (
       select p.id from payment_attempts p where p.transaction_id = j.transaction_id and p.state = 'approved'))
     left join refunds r on r.id = j.refund_id
     where j.environment_id in {ids} and j.created_at >= $2 and j.created_at < $3
       and (j.transaction_id = $4 or $4 = 0)
     order by j.environment_id, j.link, j.line`,
    parametersOf(scope),
  );
}

/** Payments and refunds that were completed, and that no entry explains. */
export function selectUnbooked(
  db: Reader,
  scope: ReconciliationScope,
): Promise<{ transaction_id: number; refund_id: string | null }[]> {
  return db.query(
    `select t.id as transaction_id, null as refund_id from transactions t
     where t.state = 'completed' and t.settled_at >= $2 and t.settled_at < $3 and t.environment_id in {ids}
       and (t.id = $4 or $4 = 0)
       and not exists (select 1 from journal_entries j where j.transaction_id = t.id and j.kind = 'payment')
     union all
     select r.transaction_id, r.id from refunds r join transactions t on t.id = r.transaction_id
     where r.state = 'completed' and r.settled_at >= $2 and r.settled_at < $3 and t.environment_id in {ids}
       and (t.id = $4 or $4 = 0)
       and not exists (select 1 from journal_entries j where j.transaction_id = t.id and j.refund_id = r.id)
     order by 1, 2`,
    parametersOf(scope),
  );
}

/** What is owed to the merchants of these environments in one currency, without what is being given back. */
export async function selectAvailable(
  db: Reader,
  scope: Pick<ReconciliationScope, 'environmentIds' | 'transactionId'>,
  currency: string,
  payableAccount: string,
): Promise<number> {
  const [row] = await db.query<{ available: number }>(
    `select cast(
       (select coalesce(sum(case when j.credit_account = $2 then j.amount else -j.amount end), 0)
        from journal_entries j
        where j.environment_id in {ids} and j.currency = $3 and $2 in (j.credit_account, j.debit_account)
          and (j.transaction_id = $4 or $4 = 0))
       -
       (select coalesce(sum(r.amount), 0) from refunds r join transactions t on t.id = r.transaction_id
        where r.state = 'processing' and t.environment_id in {ids} and t.currency = $3 and (t.id = $4 or $4 = 0))
       as bigint) as available`,
    [JSON.stringify(scope.environmentIds), payableAccount, currency, scope.transactionId],
  );
  return row?.available ?? 0;
}

function parametersOf(scope: ReconciliationScope) {
  return [JSON.stringify(scope.environmentIds), scope.from, scope.to, scope.transactionId];
}
