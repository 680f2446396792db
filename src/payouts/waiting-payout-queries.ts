import { ofTokenSql } from '../audit/actor.ts';
import { ACTING_NAMES, type TokenHolder, WAYS_IN } from '../auth/tokens/api-token-queries.ts';
import { CLOCKS_DIFFER_MS } from '../auth/tokens/token-holders.ts';
import type { Reader, SqlRow } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { approverRoles, MAY_APPROVE } from './approval/approver-queries.ts';
import type { PayoutState } from './payout.ts';
import { OPEN } from './payout-queries.ts';

type Measure = { count: number; oldest: number | null };

/** A payout that left and has no end, or that has a contradiction. */
export type WaitingPayout = SqlRow & {
  id: string;
  payment_service: string;
  name: string;
  environment: string;
  reference: string;
  since: number;
  amount: number;
  currency: string;
  state: PayoutState;
  reason: string | null;
  contradiction: string | null;
  contradicted_by: string | null;
  file_id: string | null;
};

/**
 * A payout without an end is listed if it left before this time (UTC milliseconds): one time each for `unknown`, for
 * `sent` at a sender, and for `sent` in a file.
 */
export type LeftBefore = { unknown: number; sender: number; file: number };

/** Joins the owner of what waits, `w`. */
const OWNED = `join environments e on e.id = w.environment_id
     join payment_services s on s.id = e.payment_service_id`;

const WITHOUT_END = `select p.*, p.sent_at as since from payouts p
    where p.${OPEN} and p.contradicted_at is null and ((p.state = 'unknown' and p.sent_at <= $1)
      or (p.state = 'sent' and p.sent_at <= cast(case when p.file_id is null then $2 else $3 end as bigint)))
  union all select p.*, p.contradicted_at as since from payouts p where p.contradicted_at is not null`;

/** Returns how many payouts wait, and since when the oldest waits. */
export async function measureWaitingPayouts(db: Reader, { unknown, sender, file }: LeftBefore): Promise<Measure> {
  const [row] = await db.query<Measure>(
    `select count(*) as count, min(since) as oldest from (${WITHOUT_END}) as waiting`,
    [unknown, sender, file],
  );
  return row ?? { count: 0, oldest: null };
}

/** Returns the waiting payouts, oldest first. */
export function selectWaitingPayouts(
  db: Reader,
  { unknown, sender, file }: LeftBefore,
  limit: number,
): Promise<WaitingPayout[]> {
  return db.query<WaitingPayout>(
    `select w.id, e.payment_service_id as payment_service, s.name, e.environment, w.reference, w.since, w.amount, w.currency, w.state, w.reason,
       w.contradiction, w.contradicted_by, w.file_id
     from (${WITHOUT_END}) as w ${OWNED}
     order by w.since, w.id limit $4`,
    [unknown, sender, file, limit],
  );
}

/**
 * Why nobody can approve the payouts. `approver`: no user may. `erased`: the recipient was erased. `changed`: the
 * recipient's account was changed after they were made. `made_elsewhere`: they were made with an API token of another
 * database, from which their payment service moved. `elsewhere`: a user of that database changed the account. `stale`:
 * the verdict is too old. `bank`: its bank is not paid. '': somebody can.
 */
export type Hindrance = '' | 'approver' | 'erased' | 'changed' | 'made_elsewhere' | 'elsewhere' | 'bank' | 'stale';

/**
 * Payouts that wait for approval or for their file, grouped by batch; a payout without a batch is its own group. `id`:
 * the batch's or the payout's id. `payout`, `reference`: of the payout, if it is only one. `of_state`: how many payouts
 * of the batch are in this state, with those that wait for something else.
 */
export type WaitingApproval = SqlRow & {
  id: string;
  payment_service: string;
  name: string;
  environment: string;
  since: number;
  payouts: number;
  of_state: number;
  payout: string;
  reference: string;
  amount: number;
  currency: string;
  state: 'awaiting_approval' | 'approved';
  hindrance: Hindrance;
  by_sender: number;
};

/**
 * `before`: payouts that have waited since then are listed even if somebody can approve them. `validatedBefore`:
 * verdicts up to then are too old.
 */
export type ApprovalTerms = {
  now: number;
  before: number;
  validatedBefore: number;
  /** The people who know a token because they knew the token that made it, from `findIndirectHolders`. */
  indirect: readonly TokenHolder[];
  /** The codes of the banks that are not paid, from `unpaidBanks`. */
  unpaid: readonly string[];
};

/** Later than any time. */
const NEVER = Number.MAX_SAFE_INTEGER;

const isMadeWithToken = (made: string) => ofTokenSql(`${made}.proposed_kind`, `${made}.proposed_by`);

/**
 * The condition that user `u` did not make a payout. Its record names the maker with or without an API token: in a
 * database to which it moved, the same user has another id.
 */
const isNotMaker = (made: string) =>
  `u.id <> ${made}.proposed_by_id and not (${made}.proposed_by = u.email
    or substr(${made}.proposed_by, 1, length(u.email) + 8) = u.email || ' (token ')`;

/** The condition that holder `h` is user `u` and knew an API token or the password of another user at a time. */
const knewAt = (user: string, at: string) =>
  `h.holder_id = u.id and h.user_id = ${user} and h.made_at <= ${at} + ${CLOCKS_DIFFER_MS} and h.until >= ${at}`;

/** The condition that user `u` may have stored the account of payout `p`. */
const MAY_HAVE_STORED = `(u.id = p.account_changed_by or exists (select 1 from recipients kept
    where kept.id = p.recipient_id and kept.account_hash = p.account_hash and kept.version <= p.recipient_version
      and (kept.created_by = u.id or exists (select 1 from holders h
        where h.any_act = 1 and ${knewAt('kept.created_by', 'kept.created_at')}))))`;

/** The condition that one of the users who are `able` may approve payout `p`. `barredFrom` has the same rules. */
const HAS_APPROVER = `exists (select 1 from able u where u.environment_id = p.environment_id and ${isNotMaker('p')}
    and not (${isMadeWithToken('p')} and exists (select 1 from holders h
      where ${knewAt('p.proposed_by_id', 'p.created_at')}))
    and (p.account_changed_by is null or not ${MAY_HAVE_STORED}))`;

/**
 * Begins a query of `waiting`: the groups that wait. Each part is materialized: otherwise PostgreSQL computes the
 * hindrance of a row again wherever it is named. Whether an approver is left is computed once per maker; it is computed
 * per payout only if the account was changed or everybody has known a token of the maker. `whyNotPayable` has the same
 * rules for the other hindrances.
 *
 * `holders`: the people who made API tokens or passwords of a user, the period in which they knew each, and whether any
 * act of that user may be theirs. `ends`: the time until which they knew any. `alone`: makers, and the time `until`
 * which every other approver may have made their payouts.
 */
const WITH_WAITING = `with holders as materialized (
    select w.user_id, u.id as holder_id, w.created_at as made_at, coalesce(w.until, ${NEVER}) as until, w.any_act
    from ${WAYS_IN} w join ${ACTING_NAMES} u on u.name = w.created_by
    union all
    select value ->> 'user_id', value ->> 'holder_id', cast(value ->> 'made_at' as bigint),
      coalesce(cast(value ->> 'until' as bigint), ${NEVER}), cast(value ->> 'any_act' as bigint)
    from {rows $6}),
  ends as materialized (select user_id, holder_id, max(until) as until from holders group by user_id, holder_id),
  makers as materialized (
    select distinct environment_id, proposed_by_id, proposed_by, proposed_kind from payouts
    where ${OPEN} and state = 'awaiting_approval'),
  able as materialized (
    select e.id as environment_id, u.id, u.email from users u, environments e
    where e.id in (select environment_id from makers) and ${MAY_APPROVE}),
  alone as materialized (
    select m.environment_id, m.proposed_by_id, m.proposed_by, m.proposed_kind,
      min(case when u.id is null then ${NEVER} else coalesce(h.until, -1) end) as until
    from makers m
    left join able u on u.environment_id = m.environment_id and ${isNotMaker('m')}
    left join ends h on h.user_id = m.proposed_by_id and h.holder_id = u.id and ${isMadeWithToken('m')}
    group by m.environment_id, m.proposed_by_id, m.proposed_by, m.proposed_kind),
  one as materialized (
    select p.environment_id, coalesce(p.batch_id, p.id) as id, p.id as payout, p.reference, p.state, p.changed_at, p.amount, p.currency,
      case when p.next_look_at is null then 0 else 1 end as by_sender,
      case when p.state = 'approved' then ''
        when (alone.until >= p.created_at or p.account_changed_by is not null) and not ${HAS_APPROVER} then 'approver'
        when newest.id is null or own.id is null then 'erased'
        when newest.account_hash <> own.account_hash then 'changed'
        when ${isMadeWithToken('p')} and not exists (select 1 from users u where u.id = p.proposed_by_id) then 'made_elsewhere'
        when substr(p.account_changed_by, 1, 4) = 'usr_'
          and not exists (select 1 from users u where u.id = p.account_changed_by) then 'elsewhere'
        when p.bank_code {named $7} then 'bank'
        when newest.validated_at <= $3 or newest.expires_at <= $4 then 'stale'
        else '' end as hindrance
    from payouts p
    join environments e on e.id = p.environment_id
    left join alone on alone.environment_id = p.environment_id and alone.proposed_by_id = p.proposed_by_id
      and alone.proposed_by = p.proposed_by and alone.proposed_kind = p.proposed_kind
    left join recipients own on own.id = p.recipient_id and own.version = p.recipient_version
    left join recipients newest on newest.id = p.recipient_id
      and newest.version = (select max(version) from recipients r where r.id = p.recipient_id)
    where p.${OPEN} and p.state in ('awaiting_approval', 'approved')),
  waiting as materialized (
    select environment_id, id, state, hindrance, currency, max(by_sender) as by_sender, min(changed_at) as since,
      count(*) as payouts, min(payout) as payout, min(reference) as reference, cast(sum(amount) as bigint) as amount
    from one where changed_at <= $5 or hindrance <> '' group by environment_id, id, state, hindrance, currency)`;

/** Returns how many batches and single payouts wait, and since when the oldest waits. */
export async function measureWaitingApprovals(db: Reader, terms: ApprovalTerms): Promise<Measure> {
  const [row] = await db.query<Measure>(
    `${WITH_WAITING} select count(*) as count, min(since) as oldest from waiting`,
    parametersOf(terms),
  );
  return row ?? { count: 0, oldest: null };
}

/** The payouts that wait for an approval, in production or in development. */
export type WaitingSum = { environment: Environment; count: number; amount: number; oldest: number };

/**
 * Counts and sums the payouts of these environments that wait for an approval, and returns since when the oldest waits.
 */
export function sumWaitingApprovals(db: Reader, environmentIds: readonly number[]): Promise<WaitingSum[]> {
  return db.query<WaitingSum>(
    `select e.environment, count(*) as count, cast(sum(p.amount) as bigint) as amount, min(p.changed_at) as oldest
     from payouts p join environments e on e.id = p.environment_id
     where p.${OPEN} and p.state = 'awaiting_approval' and {filter_by}p.environment_id {among $1}
     group by e.environment order by e.environment desc`,
    [environmentIds],
  );
}

/** Returns the waiting batches and single payouts, oldest first. */
export function selectWaitingApprovals(db: Reader, terms: ApprovalTerms, limit: number): Promise<WaitingApproval[]> {
  return db.query<WaitingApproval>(
    `${WITH_WAITING},
     whole as materialized (select environment_id, id, state, count(*) as payouts from one group by environment_id, id, state)
     select w.id, e.payment_service_id as payment_service, s.name, e.environment, w.since, w.payouts, whole.payouts as of_state, w.payout,
       w.reference, w.amount, w.currency, w.state, w.hindrance, w.by_sender
     from waiting w join whole on whole.environment_id = w.environment_id and whole.id = w.id and whole.state = w.state ${OWNED}
     order by w.since, w.id, w.hindrance limit $8`,
    [...parametersOf(terms), limit],
  );
}

function parametersOf({ now, before, validatedBefore, indirect, unpaid }: ApprovalTerms) {
  return [...approverRoles(), validatedBefore, now, before, JSON.stringify(indirect), unpaid];
}
