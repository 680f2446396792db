import type { FactContent } from '../books/book-fact.ts';
import type { SqlRow } from '../db/database.ts';

/** The outcome of an attempt as a person decides it. */
export type DecidedOutcome = 'approved' | 'declined' | 'aborted';

/** A row of `payment_decisions`; it never changes. Times are UTC milliseconds, `taken` is in minor units. */
export type PaymentDecision = SqlRow & {
  id: string;
  payment_attempt_id: string;
  decided_at: number;
  decided_by: string;
  outcome: DecidedOutcome;
  taken: number | null;
  reason: string;
  evidence_name: string;
  evidence_sha256: string;
  evidence_bytes: number;
  evidence_excerpt: string;
};

/**
 * The result of the decision. `decided`: the attempt has its end, or its contradiction has. `already`: nothing waited.
 * `approved_stays`: the money of an approved attempt is in the books; it goes back by a refund. `unknown`: there is no such
 * attempt.
 */
export type DecisionResult = 'decided' | 'already' | 'approved_stays' | 'unknown';

/** All of a decision, as it is written into the facts that the books stand on. */
export function decisionContent(decision: PaymentDecision): FactContent {
  return { ...decision };
}
