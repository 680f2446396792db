import type { Reader, SqlRow } from '../../db/database.ts';
import type { KeptDifference, KeptSettlement } from '../../movements/settlement.ts';

/** A kept settlement file. `is_replaced`: whether the same file was compared again when it says so, 1 or 0. */
export type SettlementSaid = KeptSettlement & { is_replaced: 0 | 1 };

const OF_SAME_FILE = `o.environment = s.environment and o.payment_method = s.payment_method and o.file_sha256 = s.file_sha256
  and coalesce(o.payment_service_id, '') = coalesce(s.payment_service_id, '') and o.id <> s.id`;

/** Lists the next settlement files by id. */
export function selectSettlementsSaid(db: Reader, afterId: string, limit: number): Promise<SettlementSaid[]> {
  return db.query<SettlementSaid>(
    `select s.*, case when s.replaced_at is not null and exists (select 1 from settlements o
       where ${OF_SAME_FILE} and o.kept_at = s.replaced_at) then 1 else 0 end as is_replaced
     from settlements s where s.id > $1 order by s.id limit $2`,
    [afterId, limit],
  );
}

/** A difference of a settlement file (`action` null), or an act about the file: `at`, `by`, `said` and `reason`. */
export type SettlementPart = KeptDifference & {
  action: 'settlement.kept' | 'settlement.accepted' | null;
  at: number | null;
  by: string | null;
  said: string | null;
};

/** Lists the differences of these files with their acts, in one statement and so at one moment. */
export function selectSettlementParts(db: Reader, ids: readonly string[]): Promise<SettlementPart[]> {
  return db.query<SettlementPart>(
    `select d.settlement_id, d.number, d.cause, d.file_line, d.day, d.buy_order, d.entry, d.transaction_id, d.settled,
       d.booked, d.currency, d.accepted_at, d.accepted_by, d.reason, null as action, null as at, null as by, null as said
     from settlement_differences d where d.settlement_id {named $1}
     union all
     select a.subject, a.link, null, null, null, null, null, null, null, null, null, null, null, a.reason, a.action,
       a.created_at, a.actor, a.said_after
     from audit_log a where a.subject {named $1} and {filter_by}a.action in ('settlement.kept', 'settlement.accepted')`,
    [ids],
  );
}

/** An acceptance of differences of an earlier comparison of the same file. */
export type EarlierAcceptance = SqlRow & { id: string; at: number; by: string; reason: string | null };

/** Lists the acceptances of differences of earlier comparisons of these files. */
export function selectEarlierAcceptances(db: Reader, ids: readonly string[]): Promise<EarlierAcceptance[]> {
  return db.query<EarlierAcceptance>(
    `select s.id, a.created_at as at, a.actor as by, a.reason from settlements s
     join settlements o on ${OF_SAME_FILE}
     join audit_log a on a.subject = o.id and {filter_by}a.action = 'settlement.accepted'
     where s.id {named $1}`,
    [ids],
  );
}
