import type { App } from '../app.ts';
import {
  type BookedLine,
  type ReconciliationScope,
  selectBookedLines,
  selectUnbooked,
} from './reconciliation-queries.ts';

/**
 * `unbooked`: something was completed or recorded, and no entry explains it. `unexplained`: there is an entry, and what it
 * names does not say the same. `booked_twice`: more than one entry explains the same.
 */
export type ReconciliationProblem = {
  problem: 'unbooked' | 'unexplained' | 'booked_twice';
  entry: string | null;
  transaction_id: number | null;
  refund_id: string | null;
  movement_id: string | null;
};

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
    const subject = `${line.kind} ${line.transaction_id} ${line.payment_attempt_id} ${line.refund_id} ${line.movement_id}`;
    if (!isExplained(line)) problems.push(problemOf(line, 'unexplained'));
    else if (seen.has(subject)) problems.push(problemOf(line, 'booked_twice'));
    seen.add(subject);
  }
  problems.push(...unbooked.map((missing) => ({ problem: 'unbooked' as const, entry: null, ...missing })));
  return { lines, problems };
}

/** The place of an entry in the books of its environment. */
export function entryName({ link, line }: Pick<BookedLine, 'link' | 'line'>): string {
  return `${link}.${line}`;
}

function isExplained(line: BookedLine): boolean {
  if (line.currency !== (line.movement_currency ?? line.transaction_currency)) return false;
  const isPaid = line.transaction_state === 'completed' && line.attempt_state === 'approved';
  switch (line.kind) {
    case 'payment':
      return isPaid && line.transaction_amount === line.amount;
    case 'fee':
      return isPaid && line.transaction_fee === line.amount;
    case 'late_payment':
      return !isPaid && line.transaction_amount === line.amount;
    case 'refund':
      return line.refund_state === 'completed' && line.refund_amount === line.amount;
    case 'payout':
    case 'deposit':
      return line.movement_kind === line.kind && line.movement_amount === line.amount;
    case 'commission':
      return line.movement_kind === 'deposit' && line.movement_commission === line.amount;
    case 'returned':
    case 'kept':
      return line.movement_decision === line.kind && line.movement_amount === line.amount;
  }
}

function problemOf(line: BookedLine, problem: ReconciliationProblem['problem']): ReconciliationProblem {
  const { transaction_id, refund_id, movement_id } = line;
  return { problem, entry: entryName(line), transaction_id, refund_id, movement_id };
}
