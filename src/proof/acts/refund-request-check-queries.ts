import type { Reader, SqlRow } from '../../db/database.ts';
import type { RefundRequest } from '../../refunds/refund-request.ts';
import { lastAct } from './act-check-queries.ts';

/** A request of a refund with the acts that made and ended it; null: there is no such act. */
export type RefundRequestSaid = RefundRequest &
  SqlRow & {
    payment_service_id: string;
    made_at: number | null;
    made_by: string | null;
    made_by_id: string | null;
    made_kind: string | null;
    made_reason: string | null;
    made: string | null;
    ended_action: string | null;
    ended_at: number | null;
    ended_by: string | null;
    ended_by_id: string | null;
    ended_reason: string | null;
    ended: string | null;
  };

/** Lists the next requests by id with their acts, in one statement and so at one moment. */
export function selectRefundRequestsSaid(db: Reader, afterId: string, limit: number): Promise<RefundRequestSaid[]> {
  return db.query<RefundRequestSaid>(
    `select r.*, e.payment_service_id, m.created_at as made_at, m.actor as made_by, m.user_id as made_by_id,
       m.actor_kind as made_kind, m.reason as made_reason, m.said_after as made, d.action as ended_action,
       d.created_at as ended_at, d.actor as ended_by, d.user_id as ended_by_id, d.reason as ended_reason,
       d.said_after as ended
     from refund_requests r join environments e on e.id = r.environment_id
     left join audit_log m on m.link = ${lastAct('r.id', `'refund_request.made'`)}
     left join audit_log d on d.link = ${lastAct('r.id', `'refund_request.approved', 'refund_request.rejected'`)}
     where r.id > $1 order by r.id limit $2`,
    [afterId, limit],
  );
}
