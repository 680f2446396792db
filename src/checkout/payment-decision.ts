import type { FactContent } from '../books/book-fact.ts';
import type { SqlRow } from '../db/database.ts';

/** The outcome of an attempt by a person's decision. */
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
 * The result of the decision. `decided`: it ended the attempt or its contradiction. `already`: nothing waited for a
 * decision, or its effect was not the expected one. `approved_stays`: the money of an approved attempt is in the books,
 * and only a refund sends it back. `unknown`: no such attempt.
 */
export type DecisionResult = 'decided' | 'already' | 'approved_stays' | 'unknown';

/** Returns the content of the fact about a decision: all of the decision. */
export function decisionContent(decision: PaymentDecision): FactContent {
  return { ...decision };
}
