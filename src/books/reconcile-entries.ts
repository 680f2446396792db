import type { App } from '../app.ts';
import { isExplained, problemOf, type ReconciliationProblem } from './booked-line.ts';
import {
  type BookedLine,
  type ReconciliationScope,
  selectBookedLines,
  selectUnbooked,
} from './reconciliation-queries.ts';

export type Reconciliation = { lines: BookedLine[]; problems: ReconciliationProblem[] };

/**
 * Holds the entries of a span of time against what they explain (payments, fees, refunds, what a person recorded), in both
 * directions. Reads only.
 */
export async function reconcileEntries(app: App, scope: ReconciliationScope): Promise<Reconciliation> {
  const lines = await selectBookedLines(app.db, scope);
  const unbooked = await selectUnbooked(app.db, scope);
  const seen = new Set<string>();
  const problems: ReconciliationProblem[] = [];
  for (const line of lines) {
    // Money can go back unasked any number of times.
    const time = line.kind === 'unasked_refund' ? line.link : '';
    const subject = `${line.kind} ${time} ${line.transaction_id} ${line.payment_attempt_id} ${line.refund_id} ${line.movement_id}`;
    if (!isExplained(line)) problems.push(problemOf(line, 'unexplained'));
    else if (seen.has(subject)) problems.push(problemOf(line, 'booked_twice'));
    seen.add(subject);
  }
  problems.push(...unbooked.map((missing) => ({ problem: 'unbooked' as const, entry: null, ...missing })));
  return { lines, problems };
}
