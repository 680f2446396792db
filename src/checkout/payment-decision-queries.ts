import type { InsertTarget, Reader, Tx } from '../db/database.ts';
import type { PaymentDecision } from './payment-decision.ts';

const PAYMENT_DECISIONS: InsertTarget = {
  name: 'payment_decisions',
  columns: [
    'id',
    'environment_id',
    'payment_attempt_id',
    'decided_at',
    'decided_by',
    'outcome',
    'taken',
    'reason',
    'evidence_name',
    'evidence_sha256',
    'evidence_bytes',
    'evidence_excerpt',
  ],
};

export async function insertDecision(tx: Tx, environmentId: number, decision: PaymentDecision): Promise<void> {
  await tx.insertRows(PAYMENT_DECISIONS, [{ ...decision, environment_id: environmentId }]);
}

export type ListedDecision = PaymentDecision & { transaction_id: number; currency: string };

export function selectDecisions(db: Reader, limit: number): Promise<ListedDecision[]> {
  return db.query<ListedDecision>(
    `select d.*, a.transaction_id, t.currency
     from payment_decisions d
     join payment_attempts a on a.id = d.payment_attempt_id and a.environment_id = d.environment_id
     join transactions t on t.id = a.transaction_id and t.environment_id = a.environment_id
     order by d.decided_at desc, d.id limit $1`,
    [limit],
  );
}
