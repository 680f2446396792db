import type { InsertTarget, Reader, Tx } from '../db/database.ts';
import type { RefundDecision } from './refund-decision.ts';

const REFUND_DECISIONS: InsertTarget = {
  name: 'refund_decisions',
  columns: [
    'id',
    'environment_id',
    'refund_id',
    'decided_at',
    'decided_by',
    'outcome',
    'reason',
    'evidence_name',
    'evidence_sha256',
    'evidence_bytes',
    'evidence_excerpt',
  ],
};

export async function insertRefundDecision(tx: Tx, environmentId: number, decision: RefundDecision): Promise<void> {
  await tx.insertRows(REFUND_DECISIONS, [{ ...decision, environment_id: environmentId }]);
}

export type ListedRefundDecision = RefundDecision & { transaction_id: number; amount: number; currency: string };

export function selectRefundDecisions(db: Reader, limit: number): Promise<ListedRefundDecision[]> {
  return db.query<ListedRefundDecision>(
    `select d.*, r.transaction_id, r.amount, t.currency
     from refund_decisions d
     join refunds r on r.id = d.refund_id and r.environment_id = d.environment_id
     join transactions t on t.id = r.transaction_id and t.environment_id = r.environment_id
     order by d.decided_at desc, d.id limit $1`,
    [limit],
  );
}
