import type { SqlRow } from '../db/database.ts';

/** The outcome of a refund as a person decides it; `retry`: that its method may be asked for it again. */
export type RefundDecisionOutcome = 'completed' | 'failed' | 'retry';

/** A row of `refund_decisions`; it never changes. Times are UTC milliseconds. Evidence is null for a `retry` without any. */
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
 * The result of the decision. `already`: nothing about the refund waits for a decision. `completed_stays`: its money is in the
 * books. `too_early`: it was asked for less than a day ago, and nothing shows yet that this did nothing. `unknown`: there is
 * no such refund.
 */
export type RefundDecisionResult = 'decided' | 'already' | 'completed_stays' | 'too_early' | 'unknown';
