import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import { type LikeOptions, selectLike, type TableWalk, type WalkedStore } from '../db/walk-queries.ts';
import type { Recall } from '../lib/recall.ts';
import type { Mail, MailState } from './mail.ts';

const MAILS: InsertTarget = {
  name: 'mails',
  columns: [
    'id',
    'environment_id',
    'transaction_id',
    'refund_id',
    'address',
    'language',
    'asked_by_payer',
    'state',
    'attempts',
    'created_at',
    'next_attempt_at',
  ],
};

export async function insertMail(tx: Tx, row: SqlRow): Promise<void> {
  await tx.insertRows(MAILS, [row]);
}

/** Counts the receipts that the payer of a transaction has asked for. */
export async function countAskedFor(tx: Tx, transaction: RowKey<number>): Promise<number> {
  const [row] = await tx.query<{ asked: number }>(
    'select count(*) as asked from mails where transaction_id = $1 and environment_id = $2 and asked_by_payer = 1',
    [transaction.id, transaction.environment_id],
  );
  return row?.asked ?? 0;
}

export async function hasDueMails(db: Reader, now: number): Promise<boolean> {
  const due = `select id from mails where state = 'queued' and next_attempt_at <= $1 limit 1`;
  return (await db.query(due, [now])).length > 0;
}

/**
 * Claims due mails under a lease. The outer condition repeats the inner one, because PostgreSQL checks it again after
 * waiting for another worker's claim of the same row.
 */
export function claimMails(
  tx: Tx,
  claim: { lease: string; now: number; until: number; limit: number },
): Promise<Mail[]> {
  return tx.query<Mail>(
    `update mails set lease = $1, next_attempt_at = $3
     where state = 'queued' and next_attempt_at <= $2 and id in (
       select id from mails where state = 'queued' and next_attempt_at <= $2 order by next_attempt_at limit $4)
     returning *`,
    [claim.lease, claim.now, claim.until, claim.limit],
  );
}

export type MailChange = {
  state: MailState;
  nextAttemptAt: number;
  finishedAt: number | null;
  failure: string | null;
};

/** Makes waiting mails due at `now` that would be attempted after `furthest`, and ends their claims. */
export async function recallMails(tx: Tx, { now, furthest, elsewhere }: Recall): Promise<void> {
  await tx.query(
    `update mails set next_attempt_at = $1, lease = null
     where state = 'queued' and next_attempt_at > $2 and not (environment_id {among $3})`,
    [now, furthest, elsewhere],
  );
}

/** Stores the result of an attempt. Changes nothing if another worker has the lease. */
export async function updateMail(tx: Tx, mail: Mail, change: MailChange): Promise<void> {
  await tx.query(
    `update mails set state = $4, next_attempt_at = $5, finished_at = $6, failure = $7, attempts = attempts + 1, lease = null
     where id = $1 and environment_id = $2 and lease = $3`,
    [mail.id, mail.environment_id, mail.lease, change.state, change.nextAttemptAt, change.finishedAt, change.failure],
  );
}

/** Queues a mail again from the first attempt, unless it is being sent. Returns whether it did. */
export async function requeueMail(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `update mails set state = 'queued', next_attempt_at = $2, finished_at = null, attempts = 0, lease = null, failure = null
     where id = $1 and not (state = 'queued' and lease is not null and next_attempt_at > $2) returning id`,
    [id, now],
  );
  return rows.length === 1;
}

/** Ends a mail, unless it is being sent or was sent. Returns whether it did. */
export async function markEnded(tx: Tx, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `update mails set state = 'ended', finished_at = $2, lease = null
     where id = $1 and state in ('queued', 'dead') and not (lease is not null and next_attempt_at > $2) returning id`,
    [id, now],
  );
  return rows.length === 1;
}

/** Finds a mail by id in any environment, and locks it until the commit. */
export async function lockMailAnywhere(tx: Tx, id: string): Promise<Mail | null> {
  const [row] = await tx.query<Mail>('select * from mails where id = $1 {for_update}', [id]);
  return row ?? null;
}

/** A mail with its payment service. */
export type ListedMail = Mail & { payment_service: string; name: string; environment: string };

const LISTED = `select m.*, e.payment_service_id as payment_service, p.name, e.environment`;

const WITH_OWNER = `join environments e on e.id = m.environment_id join payment_services p on p.id = e.payment_service_id`;

/** Each half has its own index, which SQLite uses only if the half repeats the condition of the index. */
const QUEUED = `select id, environment_id, created_at from mails where state = 'queued'`;
const GIVEN_UP = `select id, environment_id, created_at from mails where state <> 'queued' and state = 'dead'`;
const UNSENT = `(${QUEUED} union all ${GIVEN_UP}) as unsent`;
const STUCK = `(${QUEUED} and created_at <= $1 union all ${GIVEN_UP}) as unsent`;

const WITH_MAIL = 'join mails m on m.id = unsent.id and m.environment_id = unsent.environment_id';

const endedAs = (state: MailState) =>
  ['mails m', `m.state <> 'queued' and m.state = '${state}'`, 'm.finished_at'] as const;

/** For each list of mails: its tables, its condition, and its order, in which an index has the rows. */
const LISTS = {
  '': [`${UNSENT} ${WITH_MAIL}`, '1 = 1', 'm.created_at'],
  queued: ['mails m', "m.state = 'queued'", 'm.created_at'],
  sent: endedAs('sent'),
  dead: endedAs('dead'),
  ended: endedAs('ended'),
} as const satisfies Record<MailState | '', readonly [from: string, where: string, time: string]>;

/** The mails to list. `state` `''`: waiting or given up. `first`: those that a list with a limit has. */
type MailWish = { state: MailState | ''; first: 'newest' | 'oldest'; limit: number };

/** Lists mails without the `excluded` environments: waiting mails by their creation, the others by their end. */
export function selectMails(
  db: Reader,
  { state, first, limit }: MailWish,
  excluded: readonly number[],
): Promise<ListedMail[]> {
  const [from, where, time] = LISTS[state];
  return db.query<ListedMail>(
    `${LISTED} from ${from} ${WITH_OWNER} where ${where} and not (m.environment_id {among $2})
     order by ${time} ${first === 'newest' ? 'desc' : 'asc'}, m.id limit $1`,
    [limit, excluded],
  );
}

/** Counts the mails that were given up, and the mails that have waited since before `since`. */
export async function measureStuckMails(db: Reader, since: number): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(created_at) as oldest from ${STUCK}`,
    [since],
  );
  return row ?? { count: 0, oldest: null };
}

/** Lists the same mails, the oldest first. */
export function selectStuckMails(db: Reader, since: number, limit: number): Promise<ListedMail[]> {
  return db.query<ListedMail>(
    `${LISTED} from ${STUCK} ${WITH_MAIL} ${WITH_OWNER} order by m.created_at, m.id limit $2`,
    [since, limit],
  );
}

/**
 * Deletes mails that ended before a time. Keeps mails that were given up until a person decides, and all mails of the
 * `kept` environments. Returns how many. The outer condition repeats the inner one, because PostgreSQL checks it again
 * after waiting for a person who sends the same mail again. The inner one repeats the condition of an index for SQLite.
 */
export async function deleteMailsBefore(
  tx: Tx,
  endedBefore: number,
  kept: readonly number[],
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `delete from mails where state in ('sent', 'ended') and finished_at < $1 and id in (
       select id from mails where state <> 'queued' and state in ('sent', 'ended') and finished_at < $1 and not (environment_id {among $3})
       limit $2) returning id`,
    [endedBefore, limit, kept],
  );
  return rows.length;
}

const BY_ADDRESS: TableWalk = { table: 'mails', key: ['id', 'environment_id'], columns: '*', text: 'address' };

/** Finds mails whose lower-case address matches `like`. Searches the whole table. */
export function selectPersonalMails(db: WalkedStore, like: string, options: LikeOptions<Mail>): Promise<Mail[]> {
  return selectLike<Mail>(db, BY_ADDRESS, like, options);
}

export async function deleteMail(tx: Tx, { id, environment_id }: RowKey<string>): Promise<void> {
  await tx.query('delete from mails where id = $1 and environment_id = $2', [id, environment_id]);
}
