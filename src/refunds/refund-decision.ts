import type { SqlRow } from '../db/database.ts';

/** The outcome of a refund by a person's decision; `retry`: the worker may request it again. */
export type RefundDecisionOutcome = 'completed' | 'failed' | 'retry';

/**
 * A row of `refund_decisions`; it never changes. Times are UTC milliseconds. The evidence may be null for a `retry`.
 */
export type RefundDecision = SqlRow & {
  id: string;
  refund_id: string;
  decided_at: number;
  decided_by: string;
  outcome: RefundDecisionOutcome;
  reason: string;
  evidence_name: string | null;
  evidence_sha256: string | null;
  evidence_bytes: number | null;
  evidence_excerpt: string | null;
};

/**
 * The result of the decision. `already`: the refund waits for no decision, or the effect was not the expected one.
 * `completed_stays`: its money is in the books. `too_early`: it was requested less than a day ago and no evidence was
 * given. `unknown`: no such refund.
 */
export type RefundDecisionResult = 'decided' | 'already' | 'completed_stays' | 'too_early' | 'unknown';
