import type { Reader, SqlRow } from '../../db/database.ts';
import type { hashOfChangers, hashOfDetails, hashOfPayees, Payout } from '../../payouts/payout.ts';
import { LISTED_ACT, type ListedAct } from './act-check-queries.ts';

/** The acts that decide about payouts for good. */
export const DECISIONS = ['payout.approved', 'payout.rejected', 'payout.cancelled'] as const;

export type Decision = (typeof DECISIONS)[number];

/**
 * Returns whether a payout is as this act made it. Its row does not say who ended it. `MADE_BY` is the same in SQL.
 */
export function isMadeBy(action: Decision, payout: PayoutMade, act: ListedAct): boolean {
  if (action === 'payout.approved') {
    const { approval, approved_at, approved_by, approved_by_id } = payout;
    const isOf = act.actor === approved_by && act.user_id === approved_by_id;
    return approval === 'person' && approved_at === act.created_at && isOf;
  }
  const isSame = payout.changed_at === act.created_at && (payout.reason ?? '') === (act.reason ?? '');
  return action === `payout.${payout.state}` && isSame;
}

/** The conditions of `isMadeBy` for a payout `p` and an act `a`. */
const MADE_BY: Record<Decision, string> = {
  'payout.approved': `p.approval = 'person' and p.approved_at = a.created_at and {filter_by}a.actor = p.approved_by
    and {filter_by}a.user_id = p.approved_by_id`,
  'payout.rejected': endedBy('rejected'),
  'payout.cancelled': endedBy('cancelled'),
};

function endedBy(state: string): string {
  return `p.state = '${state}' and p.changed_at = a.created_at and coalesce(p.reason, '') = coalesce(a.reason, '')`;
}

/**
 * A payout as the acts about it made it. `changed_by_approver`: how often its approver had stored
 * its account, or validated it again, when it was proposed.
 */
export type PayoutMade = Pick<
  Payout,
  | 'id'
  | 'environment_id'
  | 'batch_id'
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
> & { payment_service_id: string; changed_by_approver: number };

const MADE = `p.id, p.environment_id, p.batch_id, p.created_at, p.changed_at, p.state, p.reason, p.proposed_by, p.proposed_by_id,
  p.proposed_kind, p.account_changed_by, p.approval, p.approved_at, p.approved_by, p.approved_by_id, e.payment_service_id,
  (select count(*) from recipients r where r.id = p.recipient_id and r.version <= p.recipient_version
    and r.account_hash = p.account_hash and r.created_by = p.approved_by_id) as changed_by_approver`;

/** Lists the next payouts by id. */
export function selectPayoutsAfter(db: Reader, afterId: string, limit: number): Promise<PayoutMade[]> {
  return db.query<PayoutMade>(
    `select ${MADE} from (select * from payouts where id > $1 order by id limit $2) p
     join environments e on e.id = p.environment_id order by p.id`,
    [afterId, limit],
  );
}

/** Whom a payout pays, with the verdict, where its outcome is posted, and who changed its account. */
export type Payee = SqlRow &
  Parameters<typeof hashOfPayees>[0][number] &
  Parameters<typeof hashOfDetails>[0][number] &
  Parameters<typeof hashOfChangers>[0][number];

const PAYEE = `p.id, p.reference, p.amount, p.currency, p.recipient_id, p.recipient_version, p.rut_hash, p.account_hash,
  p.bank_code, p.account_masked, p.message, p.verdict, p.validated_at, p.callback_url, p.account_changed_by`;

/** Returns these payouts, each by its whole key: a database without statistics would read the whole table otherwise. */
export function selectPayoutsNamed(db: Reader, ids: readonly string[]): Promise<(PayoutMade & Payee)[]> {
  return db.query<PayoutMade & Payee>(
    `select ${MADE}, ${PAYEE.replace('p.id, ', '')} from {rows $1} wanted cross join payouts p cross join environments e
     where p.id = wanted.value ->> 'id' and e.id = p.environment_id
       and p.environment_id = (select q.environment_id from payouts q where q.id = wanted.value ->> 'id' limit 1)`,
    [JSON.stringify(ids.map((id) => ({ id })))],
  );
}

/** An act about a payout alone, or about its batch. */
export type PayoutAct = ListedAct & { actor_kind: string; action: Decision | 'payout.proposed' };

/**
 * Lists the acts that have one of these subjects, in order, by the index of subjects. A database without statistics
 * would rather read all acts of these actions.
 */
export function selectActsAbout(db: Reader, subjects: readonly string[]): Promise<PayoutAct[]> {
  return db.query<PayoutAct>(
    `select ${LISTED_ACT}, actor_kind, action from {rows $1} wanted cross join audit_log act where act.link {chosen}
       select b.link from audit_log b where b.subject = wanted.value ->> 'subject'
         and '' || b.action in ('payout.proposed', ${DECISIONS.map((action) => `'${action}'`).join(', ')}) {end_chosen}
     order by link`,
    [JSON.stringify(subjects.map((subject) => ({ subject })))],
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
  file_sha256: string | null;
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
    `select a.link, b.environment_id, b.name, b.created_at, b.proposed_by, b.proposed_by_id, b.file_sha256, count(p.id) as held,
       cast(coalesce(sum(p.amount), 0) as bigint) as held_total
     from audit_log a left join payout_batches b on b.id = a.subject
     left join payouts p on p.environment_id = b.environment_id and p.batch_id = b.id ${made}
       and not (p.id {named $2})
     where a.link {among $1}
     group by a.link, b.environment_id, b.name, b.created_at, b.proposed_by, b.proposed_by_id,
       b.file_sha256 order by a.link`,
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

/** Returns the payouts of a batch. */
export function selectPayeesOf(
  db: Reader,
  { environment_id, id }: { environment_id: number; id: string },
): Promise<Payee[]> {
  return db.query<Payee>(`select ${PAYEE} from payouts p where p.environment_id = $1 and p.batch_id = $2`, [
    environment_id,
    id,
  ]);
}
