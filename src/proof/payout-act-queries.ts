import type { Database, SqlRow } from '../db/database.ts';
import type { Payout } from '../payouts/payout.ts';
import { LISTED_ACT, type ListedAct } from './act-check-queries.ts';

type Reader = Pick<Database, 'query'>;

/** The acts that decide about payouts for good. */
export const DECISIONS = ['payout.approved', 'payout.rejected', 'payout.cancelled'] as const;

type Decision = (typeof DECISIONS)[number];

/** The conditions that a payout `p` meets after an act `a`. Its row does not say who ended it. */
const MADE_BY: Record<Decision, string> = {
  'payout.approved': `p.approval = 'person' and p.approved_at = a.created_at and {filter_by}a.actor = p.approved_by
    and {filter_by}a.user_id = p.approved_by_id`,
  'payout.rejected': endedBy('rejected'),
  'payout.cancelled': endedBy('cancelled'),
};

function endedBy(state: string): string {
  return `p.state = '${state}' and p.changed_at = a.created_at and coalesce(p.reason, '') = coalesce(a.reason, '')`;
}

/** Whether no act about the payout alone, or about its batch, made this decision. It may name several payouts. */
const isUnsaid = (action: Decision, asked: string) =>
  `case when ${asked} and not exists (select 1 from audit_log a where a.subject in (p.id, p.batch_id)
     and {filter_by}a.action = '${action}' and ${MADE_BY[action]}) then 1 else 0 end`;

/** A payout with the act that proposed it, alone or in its batch; null: there is no such act. */
export type PayoutSaid = Pick<
  Payout,
  | 'id'
  | 'environment_id'
  | 'created_at'
  | 'changed_at'
  | 'state'
  | 'reason'
  | 'proposed_by'
  | 'proposed_by_id'
  | 'proposed_kind'
  | 'account_changed_by'
  | 'approval'
  | 'approved_at'
  | 'approved_by'
  | 'approved_by_id'
> & {
  payment_service_id: string;
  said: string | null;
  said_at: number | null;
  said_by: string | null;
  said_by_id: string | null;
  said_kind: string | null;
  approval_unsaid: 0 | 1;
  end_unsaid: 0 | 1;
};

/** Lists the next payouts by id with what the audit log says about each, in one statement and so at one moment. */
export function selectPayoutsSaid(db: Reader, afterId: string, limit: number): Promise<PayoutSaid[]> {
  return db.query<PayoutSaid>(
    `select p.id, p.environment_id, p.created_at, p.changed_at, p.state, p.reason, p.proposed_by, p.proposed_by_id,
       p.proposed_kind, p.account_changed_by, p.approval, p.approved_at, p.approved_by, p.approved_by_id,
       e.payment_service_id, o.said_after as said, o.created_at as said_at, o.actor as said_by, o.user_id as said_by_id,
       o.actor_kind as said_kind, ${isUnsaid('payout.approved', `p.approval = 'person'`)} as approval_unsaid,
       case p.state when 'rejected' then ${isUnsaid('payout.rejected', '1 = 1')}
         when 'cancelled' then ${isUnsaid('payout.cancelled', '1 = 1')} else 0 end as end_unsaid
     from (select * from payouts where id > $1 order by id limit $2) p join environments e on e.id = p.environment_id
     left join audit_log o on o.link = (select max(b.link) from audit_log b
       where b.subject = coalesce(p.batch_id, p.id) and {filter_by}b.action = 'payout.proposed')
     order by p.id`,
    [afterId, limit],
  );
}

/** A payout that an act names. */
export type NamedPayout = { link: number; id: string };

/** Of these payouts, those that exist, and whether each has what its act says. A proposal says nothing of it here. */
export function selectDecidedBy(
  db: Reader,
  action: Decision | 'payout.proposed',
  named: readonly NamedPayout[],
): Promise<(SqlRow & NamedPayout & { environment_id: number; decided: 0 | 1 })[]> {
  const made = action === 'payout.proposed' ? '1 = 1' : MADE_BY[action];
  return db.query(
    `select a.link, p.id, p.environment_id, case when ${made} then 1 else 0 end as decided
     from {rows $1} wanted cross join audit_log a cross join payouts p
     where a.link = cast(wanted.value ->> 'link' as bigint) and p.id = wanted.value ->> 'id'`,
    [JSON.stringify(named)],
  );
}

/** A batch with how many of its payouts have what an act about it says, and their sum. Null: the batch is gone. */
export type BatchSaid = SqlRow & {
  link: number;
  environment_id: number | null;
  name: string;
  created_at: number;
  proposed_by: string;
  proposed_by_id: string;
  held: number;
  held_total: number;
};

/** Returns the batches of these acts. `without`: payouts that are not counted. */
export function selectBatchesSaid(
  db: Reader,
  action: Decision | 'payout.proposed',
  links: readonly number[],
  without: readonly string[] = [],
): Promise<BatchSaid[]> {
  const made = action === 'payout.proposed' ? '' : `and ${MADE_BY[action]}`;
  return db.query<BatchSaid>(
    `select a.link, b.environment_id, b.name, b.created_at, b.proposed_by, b.proposed_by_id, count(p.id) as held,
       cast(coalesce(sum(p.amount), 0) as bigint) as held_total
     from audit_log a left join payout_batches b on b.id = a.subject
     left join payouts p on p.environment_id = b.environment_id and p.batch_id = b.id ${made}
       and not (p.id {named $2})
     where a.link {among $1}
     group by a.link, b.environment_id, b.name, b.created_at, b.proposed_by, b.proposed_by_id order by a.link`,
    [links, without],
  );
}

/** Lists the acts of the same person at the same moment, near this one in the audit log. */
export function selectActsAtOnce(
  db: Reader,
  action: string,
  { link, created_at, actor, reason }: ListedAct,
): Promise<ListedAct[]> {
  const apart = 1000;
  return db.query<ListedAct>(
    `select ${LISTED_ACT} from audit_log
     where link >= $1 and link <= $2 and {filter_by}action = $3 and created_at = $4
       and (({filter_by}actor = $5 and action = 'payout.approved')
         or (action <> 'payout.approved' and coalesce(reason, '') = $6)) order by link`,
    [link - apart, link + apart, action, created_at, actor, reason ?? ''],
  );
}
