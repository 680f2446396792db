import type { App } from '../app.ts';
import type { OnProgress } from '../lib/walk.ts';
import { isExplained, problemOf, type ReconciliationProblem } from './booked-line.ts';
import {
  type BookedLine,
  type ReconciliationScope,
  selectBookedLines,
  selectBookedSpan,
  selectUnbooked,
} from './reconciliation-queries.ts';

const DAY_MS = 24 * 3_600_000;

export type Reconciliation = { lines: BookedLine[]; problems: ReconciliationProblem[] };

/**
 * Compares the entries of a span of time with the records that they explain (payments, fees, refunds, movements), in
 * both directions. Only reads; reads the entries one day at a time, so that a month of a large shop does not delay
 * other requests.
 */
export async function reconcileEntries(
  app: App,
  scope: ReconciliationScope,
  onProgress: OnProgress = () => {},
): Promise<Reconciliation> {
  const lines = await readLines(app, scope, onProgress);
  const unbooked = await selectUnbooked(app.db, scope);
  const seen = new Set<string>();
  const problems: ReconciliationProblem[] = [];
  for (const line of lines) {
    const subject = subjectOf(line);
    if (!isExplained(line)) problems.push(problemOf(line, 'unexplained'));
    else if (seen.has(subject)) problems.push(problemOf(line, 'booked_twice'));
    seen.add(subject);
  }
  for (const missing of unbooked) problems.push({ problem: 'unbooked', entry: null, payout_id: null, ...missing });
  return { lines, problems };
}

/**
 * Identifies the record that an entry explains. Unasked refunds of a payment can repeat, and imported lines without a
 * payment have only their link.
 */
function subjectOf(line: BookedLine): string {
  const { environment_id, kind, link, transaction_id, payment_attempt_id, refund_id, movement_id, payout_id } = line;
  const named = [transaction_id, payment_attempt_id, refund_id, movement_id, payout_id];
  const time = kind === 'unasked_refund' || named.every((id) => id === null) ? link : '';
  return [environment_id, kind, time, ...named].join(' ');
}

async function readLines(app: App, scope: ReconciliationScope, onProgress: OnProgress): Promise<BookedLine[]> {
  const days: BookedLine[][] = [];
  let rows = 0;
  // A mistyped date may be centuries away. Those days without entries are skipped.
  const span = scope.to - scope.from <= DAY_MS ? scope : await selectBookedSpan(app.db, scope);
  for (let from = span.from; from < span.to; from += DAY_MS) {
    const to = Math.min(from + DAY_MS, span.to);
    const lines = await selectBookedLines(app.db, { ...scope, from, to });
    days.push(lines);
    rows += lines.length;
    onProgress('entries of the books', rows, (to - span.from) / (span.to - span.from));
  }
  if (days.length === 1) return days[0] as BookedLine[];
  return days
    .flat()
    .sort((one, other) => one.environment_id - other.environment_id || one.link - other.link || one.line - other.line);
}
