import type { Reader, SqlParameter, SqlRow, SqlValue } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import { CALLBACK_STATES, type CallbackState } from './callback-state.ts';
import { FROM_OWNED_CALLBACKS, OWNED_CALLBACK, type OwnedCallback } from './delivery-attempt-queries.ts';

/** A filter of callbacks; all members must match. Times are when a callback was created, UTC milliseconds. */
export type CallbackFilter = {
  state?: CallbackState;
  paymentServiceId?: string;
  environmentId?: number;
  /** The URL without its query, as in `endpoints.address`. */
  endpoint?: string;
  /** Addresses are shared by merchants and environments; an endpoint is of one. */
  endpointId?: number;
  transactionId?: number;
  /** Inclusive. */
  since?: number;
  /** Exclusive. */
  until?: number;
};

/** `attempts`: all stored ones, also those before a resend. The rest is of the last attempt. */
export type ListedCallback = OwnedCallback & {
  attempts: number;
  status: number | null;
  failure: string | null;
  location: string | null;
};

/**
 * Returns the newest callbacks, with the outcome of their last attempt. SQLite would read all callbacks by id until it
 * has found enough in a state, so an index of the state names them first.
 */
export function selectCallbacks(db: Reader, filter: CallbackFilter, limit: number): Promise<ListedCallback[]> {
  const { where, parameters } = conditionsOf(filter, [limit]);
  const indexed = filter.state === undefined ? undefined : INDEXED[filter.state];
  const among = indexed === undefined ? '' : `c.id in (select c.id from callbacks c where ${indexed}) and`;
  return db.query<ListedCallback>(
    `select ${OWNED_CALLBACK}, a.status, a.failure, a.location,
       (select count(*) from delivery_attempts made
        where made.callback_id = c.id and made.environment_id = c.environment_id) as attempts
     ${FROM_OWNED_CALLBACKS}
     left join delivery_attempts a on a.environment_id = c.environment_id and a.id = (
       select max(last.id) from delivery_attempts last
       where last.callback_id = c.id and last.environment_id = c.environment_id)
     where ${among} ${where}
     order by c.id desc limit $1`,
    parameters,
  );
}

/**
 * Returns the next callbacks after `afterId` that can be sent again, by id. Without a state in the filter: those that
 * wait for another attempt, were given up or are disabled. Omits callbacks under way and the callbacks of `excluded`
 * environments. On SQLite a cross join reads the callbacks first, by id, and a page sorts nothing.
 */
export function selectResendable(
  db: Reader,
  filter: CallbackFilter,
  excluded: readonly number[],
  afterId: number,
  limit: number,
): Promise<(RowKey<number> & { webhook_id: string; content_type: string })[]> {
  const { where, parameters } = conditionsOf(filter, [limit, afterId, excluded]);
  const isToResend = filter.state === undefined || ['queued', 'dead', 'disabled'].includes(filter.state);
  return db.query<SqlRow & RowKey<number> & { webhook_id: string; content_type: string }>(
    `select c.id, c.environment_id, c.webhook_id, c.content_type from callbacks c
     cross join endpoints p cross join environments e
     where c.id > $2 and p.id = c.endpoint_id and p.environment_id = c.environment_id and e.id = c.environment_id
       and not (c.environment_id {among $3}) and ${isToResend ? TO_RESEND : '1 = 1'}
       and (c.state <> 'queued' or (c.attempts > 0 and c.lease is null)) and ${where}
     order by c.id limit $1`,
    parameters,
  );
}

/** Word for word the condition of the index `callbacks_to_resend`: otherwise SQLite does not use it. */
const TO_RESEND = `(c.state in ('dead', 'disabled') or (c.state = 'queued' and c.attempts > 0))`;

/** The states with an index, word for word by its condition. */
const INDEXED: Partial<Record<CallbackState, string>> = {
  queued: `c.state = 'queued'`,
  dead: `c.state = 'dead'`,
  disabled: `${TO_RESEND} and c.state = 'disabled'`,
};

const CONDITIONS: Readonly<Record<Exclude<keyof CallbackFilter, 'state'>, string>> = {
  paymentServiceId: 'e.payment_service_id =',
  environmentId: 'c.environment_id =',
  endpoint: 'p.address =',
  endpointId: 'c.endpoint_id =',
  transactionId: 'c.transaction_id =',
  since: 'c.created_at >=',
  until: 'c.created_at <',
};

/**
 * Only the conditions in use are in the SQL, and the state is literal, so that partial indexes on one state are used.
 */
function conditionsOf(
  { state, ...filter }: CallbackFilter,
  before: readonly SqlParameter[],
): { where: string; parameters: SqlParameter[] } {
  const given = Object.entries(filter) as [keyof typeof CONDITIONS, SqlValue][];
  const conditions = given.map(([name], at) => `${CONDITIONS[name]} $${before.length + at + 1}`);
  const known = CALLBACK_STATES.find((one) => one === state);
  return {
    where: [known === undefined ? '1 = 1' : `c.state = '${known}'`, ...conditions].join(' and '),
    parameters: [...before, ...given.map(([, value]) => value)],
  };
}
