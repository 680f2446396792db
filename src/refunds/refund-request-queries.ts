import { ofTokenSql } from '../audit/actor.ts';
import type { InsertTarget, Reader, SqlParameter, SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { TransactionKey } from '../transactions/transaction.ts';
import type { RefundRequest } from './refund-request.ts';

const REFUND_REQUESTS: InsertTarget = {
  name: 'refund_requests',
  columns: [
    'id',
    'environment_id',
    'transaction_id',
    'amount',
    'type',
    'reason',
    'requested_by',
    'requested_by_id',
    'requested_kind',
    'requested_at',
    'state',
  ],
};

export async function insertRefundRequest(tx: Tx, row: SqlRow): Promise<RefundRequest> {
  const [request] = await tx.insertRows<RefundRequest>(REFUND_REQUESTS, [row], 'returning *');
  return request as RefundRequest;
}

/** Returns the waiting request of this user for the same amount of the same payment; null: none. */
export async function selectSameRefundRequest(
  tx: Tx,
  { id, environment_id }: TransactionKey,
  { userId, amount }: { userId: string; amount: number },
): Promise<RefundRequest | null> {
  const [row] = await tx.query<RefundRequest>(
    `select * from refund_requests where transaction_id = $1 and environment_id = $2 and requested_by_id = $3 and amount = $4
       and state = 'waiting'`,
    [id, environment_id, userId, amount],
  );
  return row ?? null;
}

export async function countWaitingRequestsOf(
  tx: Tx,
  { id, environment_id }: TransactionKey,
  userId: string,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*) as count from refund_requests where transaction_id = $1 and environment_id = $2 and requested_by_id = $3
       and state = 'waiting'`,
    [id, environment_id, userId],
  );
  return row?.count ?? 0;
}

/** Ends a waiting request, under the lock of its transaction; null: it was not waiting. */
export async function updateRefundRequest(
  tx: Tx,
  { id, environment_id }: RowKey<string>,
  end: Pick<RefundRequest, 'state' | 'decided_by' | 'decided_by_id' | 'decided_at' | 'decision_reason' | 'refund_id'>,
): Promise<RefundRequest | null> {
  const [row] = await tx.query<RefundRequest>(
    `update refund_requests set state = $3, decided_by = $4, decided_by_id = $5, decided_at = $6, decision_reason = $7, refund_id = $8
     where id = $1 and environment_id = $2 and state = 'waiting' returning *`,
    [
      id,
      environment_id,
      end.state,
      end.decided_by,
      end.decided_by_id,
      end.decided_at,
      end.decision_reason,
      end.refund_id,
    ],
  );
  return row ?? null;
}

export async function selectRefundRequest(
  db: Reader,
  { id, environment_id }: RowKey<string>,
): Promise<RefundRequest | null> {
  const sql = 'select * from refund_requests where id = $1 and environment_id = $2';
  const [row] = await db.query<RefundRequest>(sql, [id, environment_id]);
  return row ?? null;
}

/** Reads a request from any environment, for a person who knows only its id. */
export async function selectRefundRequestAnywhere(db: Reader, id: string): Promise<RefundRequest | null> {
  const [row] = await db.query<RefundRequest>('select * from refund_requests where id = $1', [id]);
  return row ?? null;
}

/** Lists the requests of a transaction, the oldest first. */
export function selectRefundRequestsOf(db: Reader, { id, environment_id }: TransactionKey): Promise<RefundRequest[]> {
  return db.query<RefundRequest>(
    'select * from refund_requests where transaction_id = $1 and environment_id = $2 order by requested_at, id',
    [id, environment_id],
  );
}

/** A request with its owner. */
export type ListedRefundRequest = RefundRequest & {
  currency: string;
  reference: string;
  payment_service: string;
  name: string;
  environment: string;
  /**
   * 1 if an API token of another database, from which the payment service moved, made the request: nobody can approve
   * it here. Otherwise 0.
   */
  asked_elsewhere: number;
  /** 1 if the requester is disabled now: the request goes on, and who decides about it should know. Otherwise 0. */
  asker_disabled: number;
};

const LISTED = `select r.*, t.currency, t.reference, e.payment_service_id as payment_service, p.name, e.environment,
    case when ${ofTokenSql('r.requested_kind', 'r.requested_by')}
      and not exists (select 1 from users u where u.id = r.requested_by_id) then 1 else 0 end as asked_elsewhere,
    case when exists (select 1 from users u where u.id = r.requested_by_id and u.disabled_at is not null)
      then 1 else 0 end as asker_disabled
  from refund_requests r
  join transactions t on t.id = r.transaction_id and t.environment_id = r.environment_id
  join environments e on e.id = r.environment_id
  join payment_services p on p.id = e.payment_service_id`;

/**
 * The requests to list: of these environments (null: all) except the environments `elsewhere`, in this state, of this
 * payment service. An empty text: any.
 */
export type RefundRequestSearch = {
  environmentIds: readonly number[] | null;
  elsewhere: readonly number[];
  state: string;
  paymentService: string;
};

export const EVERY_REQUEST: RefundRequestSearch = {
  environmentIds: null,
  elsewhere: [],
  state: '',
  paymentService: '',
};

/** Lists the waiting requests that pass the search, the oldest first. */
export function selectWaitingRefundRequests(
  db: Reader,
  search: RefundRequestSearch,
  limit: number,
): Promise<ListedRefundRequest[]> {
  const [condition, ...parameters] = conditionOf(search, 2);
  return db.query<ListedRefundRequest>(
    `${LISTED} where r.state = 'waiting' and ${condition} order by r.requested_at, r.id limit $1`,
    [limit, ...parameters],
  );
}

/** Lists one user's requests that pass the search, the newest first. */
export function selectRefundRequestsBy(
  db: Reader,
  { id, email }: { id: string; email: string },
  search: RefundRequestSearch,
  limit: number,
): Promise<ListedRefundRequest[]> {
  const [condition, ...parameters] = conditionOf(search, 4);
  // A payment service that moved here has the same person under another id.
  return db.query<ListedRefundRequest>(
    `${LISTED} where (r.requested_by_id = $2 or r.requested_by = $3) and ${condition}
     order by r.requested_at desc, r.id limit $1`,
    [limit, id, email, ...parameters],
  );
}

/** Lists the requests that pass the search, waiting and decided, the newest first. */
export function selectRefundRequests(
  db: Reader,
  search: RefundRequestSearch,
  limit: number,
): Promise<ListedRefundRequest[]> {
  const [condition, ...parameters] = conditionOf(search, 2);
  return db.query<ListedRefundRequest>(`${LISTED} where ${condition} order by r.requested_at desc, r.id limit $1`, [
    limit,
    ...parameters,
  ]);
}

/** Counts the waiting requests, and returns when the oldest was made. */
export async function measureWaitingRefundRequests(db: Reader): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    "select count(*) as count, min(requested_at) as oldest from refund_requests where state = 'waiting'",
  );
  return row ?? { count: 0, oldest: null };
}

/** Returns the condition of the search with its parameters, numbered from `first` on. */
function conditionOf(
  { environmentIds, elsewhere, state, paymentService }: RefundRequestSearch,
  first: number,
): [sql: string, ...SqlParameter[]] {
  // By environment SQLite would read all payments and look for the requests of each.
  const seen = environmentIds === null ? '' : ` and {filter_by}r.environment_id {among $${first + 3}}`;
  return [
    `not (r.environment_id {among $${first}}) and $${first + 1} in ('', r.state)
       and $${first + 2} in ('', e.payment_service_id)${seen}`,
    elsewhere,
    state,
    paymentService,
    ...(environmentIds === null ? [] : [environmentIds]),
  ];
}
