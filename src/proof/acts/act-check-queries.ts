import type { Reader, SqlRow } from '../../db/database.ts';
import type { ClosedMonth } from '../../movements/settlement-queries.ts';
import type { Said } from '../fact-check-queries.ts';

/** The act of the audit log with which a row was written, if any. `said` is its JSON text. */
export type ActSaid = Said & { said_by: string | null };

/** An act whose object no longer exists. */
export type GoneObject = SqlRow & { subject: string; said_at: number };

const ACT = `a.said_after as said, a.created_at as said_at, a.actor as said_by`;

/** The last act of this kind about a subject, by the index of subjects. SQLite would choose the index of actions. */
export const lastAct = (subject: string, actions: string, more = '') =>
  `(select max(b.link) from audit_log b where b.subject = ${subject} and {filter_by}b.action in (${actions}) ${more})`;

/** Lists the closed months, each with its act and whether the clock went back to real time after it. */
export function selectMonthsSaid(db: Reader): Promise<(ClosedMonth & ActSaid & { went_back: 0 | 1 })[]> {
  return db.query(
    `select c.month, c.environment, c.closed_at, c.closed_by, c.owed, ${ACT},
       case when exists (select 1 from audit_log r where r.action = 'clock.reset' and r.link > a.link)
         then 1 else 0 end as went_back
     from closed_months c
     left join audit_log a on a.link = ${lastAct(`c.month || ' ' || c.environment`, `'month.closed'`)}
     order by c.environment, c.month`,
  );
}

export type FundsRuleSaid = SqlRow &
  ActSaid & {
    environment_id: number;
    payment_service_id: string | null;
    environment: string;
    currency: string;
    kept_back: number;
    overdraft: number;
    set_at: number;
    set_by: string;
  };

/** Lists the rules for merchants' money, each with its last act. An act begins with its environment and currency. */
export function selectFundsRulesSaid(db: Reader): Promise<FundsRuleSaid[]> {
  const ofRule = `and b.said_after like '{"environment":"' || e.environment || '","currency":"' || r.currency || '"%'`;
  return db.query(
    `select r.environment_id, r.currency, r.kept_back, r.overdraft, r.set_at, r.set_by,
       e.payment_service_id, e.environment, ${ACT}
     from funds_rules r join environments e on e.id = r.environment_id
     left join audit_log a on a.link = ${lastAct('e.payment_service_id', `'funds.rule_set'`, ofRule)}
     order by r.environment_id, r.currency`,
  );
}

/** The tables whose rows are named by the subject of an act, by the action with which they begin. */
const NAMED_BY = {
  'month.closed': `closed_months t where t.month || ' ' || t.environment = a.subject`,
  'statement.imported': 'bank_statements t where t.id = a.subject',
  'refund_request.made': 'refund_requests t where t.id = a.subject',
  'user.created': 'users t where t.id = a.subject',
  'settlement.kept': 'settlements t where t.id = a.subject',
  'payment_link.created': 'payment_links t where t.id = a.subject',
  'store.restored': `epochs t where 'epoch ' || t.epoch = a.subject`,
} as const;

/** Lists the first objects that an act made and that no longer exist. */
export function selectObjectsGone(db: Reader, action: keyof typeof NAMED_BY, limit: number): Promise<GoneObject[]> {
  return db.query(
    `select a.subject, a.created_at as said_at from audit_log a
     where a.action = $1 and not exists (select 1 from ${NAMED_BY[action]}) order by a.link limit $2`,
    [action, limit],
  );
}

export type ReleaseSaid = SqlRow & { epoch: number; began_at: number; released_at: number; said: 0 | 1 };

/** Lists the restores that are released, each with whether an act says so. */
export function selectReleasesSaid(db: Reader): Promise<ReleaseSaid[]> {
  return db.query(
    `select p.epoch, p.began_at, p.released_at, case when exists (select 1 from audit_log a
       where a.action = 'store.released' and a.created_at = p.released_at and a.actor = p.released_by) then 1 else 0 end as said
     from epochs p where p.released_at is not null order by p.epoch`,
  );
}

export type ListedAct = SqlRow & {
  link: number;
  created_at: number;
  actor: string;
  user_id: string | null;
  subject_kind: string;
  subject: string;
  said_after: string | null;
  reason: string | null;
};

export const LISTED_ACT = 'link, created_at, actor, user_id, subject_kind, subject, said_after, reason';

/** Lists the next acts of one action by their place in the audit log. */
export function selectActsOf(db: Reader, action: string, after: number, limit: number): Promise<ListedAct[]> {
  return db.query(
    `select ${LISTED_ACT} from audit_log
     where action = $1 and link > $2 order by link limit $3`,
    [action, after, limit],
  );
}

/** Returns when each payment service last arrived from another database, whose audit log has what was done there. */
export async function selectArrivals(db: Reader): Promise<Map<string, number>> {
  const rows = await db.query<{ subject: string; at: number }>(
    `select subject, max(created_at) as at from audit_log where action = 'payment_service.moved_here' group by subject`,
  );
  return new Map(rows.map(({ subject, at }) => [subject, at]));
}

/**
 * Returns from when on every new user and payment service has its acts: `-Infinity` if the store never was without an
 * audit log, so that no time in a row is before that.
 */
export async function selectAuditedSince(db: Reader): Promise<number> {
  const [row] = await db.query<{ since: number | null }>(
    `select case when exists (select 1 from audit_log m where m.action = 'store.migrated' and m.said_after like '%"0001-%')
       then null else (select created_at from audit_log order by link limit 1) end as since`,
  );
  return row?.since ?? Number.NEGATIVE_INFINITY;
}

/** A user with its rights as stored, lists as texts with spaces, and the last acts about them. */
export type UserSaid = SqlRow &
  ActSaid & {
    id: string;
    email: string;
    role: string;
    all_payment_services: 0 | 1;
    created_at: number;
    disabled_at: number | null;
    granted: string | null;
    services: string | null;
    limits: string | null;
    /** The time of the last act that disabled or enabled the user; of a disabling one the time, else null. */
    turned: string | null;
    turned_at: number | null;
    /** The name under which the user acted last. */
    acted_as: string | null;
    password_proof: string | null;
    /** The last act that set the password: about the user, or an invitation that the user accepted. */
    set_at: number | null;
    set_link: number | null;
    set_said: string | null;
    accepted_at: number | null;
    accepted_link: number | null;
    accepted_said: string | null;
  };

/** Lists the next users by id with their rights and acts, in one statement and so at one moment. */
export function selectUsersSaid(db: Reader, afterId: string, limit: number): Promise<UserSaid[]> {
  const list = (what: string, from: string) =>
    `(select string_agg(${what}, ' ') from ${from} x where x.user_id = u.id)`;
  return db.query<UserSaid>(
    `select u.id, u.email, u.role, u.all_payment_services, u.created_at, u.disabled_at,
       ${list('x.permission', 'user_permissions')} as granted,
       ${list('x.payment_service_id', 'user_payment_services')} as services,
       ${list(`x.currency || ':' || x.most`, 'user_refund_limits')} as limits,
       ${ACT}, d.action as turned, d.created_at as turned_at,
       (select b.actor from audit_log b where b.user_id = u.id order by b.link desc limit 1) as acted_as,
       u.password_proof, p.created_at as set_at, p.link as set_link, p.said_after as set_said,
       i.created_at as accepted_at, i.link as accepted_link, i.said_after as accepted_said
     from users u
     left join audit_log a on a.link = ${lastAct('u.id', `'user.created', 'user.role_set'`)}
     left join audit_log d on d.link = ${lastAct('u.id', `'user.disabled', 'user.enabled'`)}
     left join audit_log p on p.link = ${lastAct('u.id', `'user.created', 'user.password_reset', 'user.password_set'`)}
     left join audit_log i on i.link = (select max(b.link) from audit_log b where b.user_id = u.id
       and {filter_by}b.action = 'user.invitation_accepted')
     where u.id > $1 order by u.id limit $2`,
    [afterId, limit],
  );
}
