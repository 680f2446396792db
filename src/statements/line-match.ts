import { shiftDay } from '../lib/calendar-day.ts';
import type { LineNote } from './line-notes.ts';
import type { LineUse, StatementLine } from './statement.ts';

/**
 * A line with the hashes of the RUTs in its text. `isAcquirer`: it names an acquirer; `methods`: the payment methods
 * that it names.
 */
export type ReadLine = StatementLine & {
  readonly rutHashes: readonly string[];
  readonly isAcquirer: boolean;
  readonly methods: readonly string[];
};

/** The use of a line. `twice`: the payout that it names, which another line had already confirmed or returned. */
export type LineMatch = { use: LineUse; subject: string | null; note: LineNote | null; twice?: string };

/** Returns the match of a line that waits for a person. */
export function waiting(note: LineNote): LineMatch {
  return { use: 'suspense', subject: null, note };
}

/**
 * Ids that lines have taken: of payout files, payouts to merchants and deposits; `filesOfPayouts`: of the files with a
 * payout that a line has confirmed, so that no line is their total.
 */
export type Taken = { readonly ids: Set<string>; readonly filesOfPayouts: Set<string> };

/** Our clock's day may be a day later than the bank's. */
const DAYS_BEFORE = 1;
export const DAYS_TO_LEAVE = 10;
export const DAYS_TO_RETURN = 60;
export const DAYS_OF_DEPOSIT = 5;

/**
 * The days, `YYYY-MM-DD`, on which a line may match something of `day`: from a day before it until `last` days later.
 */
export function daysOf(day: string, last: number, first = 0): { from: string; to: string } {
  return { from: shiftDay(day, first - DAYS_BEFORE), to: shiftDay(day, last) };
}
