import type { SqlRow } from '../db/database.ts';

/** A row of `epochs`: a restore of the store. Times are UTC milliseconds. */
export type Epoch = SqlRow & {
  /** The start of the epoch in UTC seconds. 0 is the time before the first restore, which has no row. */
  epoch: number;
  began_at: number;
  known_until: number | null;
  last_commit_id: number;
  last_position: number;
  first_position: number;
  first_transaction_id: number;
  released_at: number | null;
  released_by: string | null;
};

/** How far ids had been handed out at a moment, as seen by the store itself or by a mark outside it. */
export type Handed = {
  epoch: number;
  /** The next transaction id. Lower ids may have been handed out. */
  transactions: number;
  /** The place of the newest event, which is also its id. */
  events: number;
  callbacks: number;
  /** UTC milliseconds. */
  at: number;
};

/** The counters whose ids leave the service: transactions, events, and the callback ids that `callback show` takes. */
export const COUNTED = ['transactions', 'events', 'callbacks'] as const;

export type Counted = (typeof COUNTED)[number];

const LEAST_JUMP = 100_000_000;
const TIMES_THE_AVERAGE = 100;
const LEAST_PER_SECOND = 10;
const LEAST_AGE_SECONDS = 3600;

/** The events in a store: their number, and the time of the first and the last. */
export type EventSpan = { events: number; first: number | null; last: number | null };

/**
 * Returns the first number of a new epoch that cannot have been handed out after `handed` was seen.
 *
 * The lost ids cannot be read, so it adds a bound: a hundred million, plus for each second since then a hundred times
 * the average number of events per second in the store's life, at least ten. The time is always added, so that a backup
 * that is restored twice does not continue at the same number. Ids stay below 2^31 as long as possible, because shops
 * store them in 32-bit columns.
 */
export function firstBeyond(handed: Handed, counted: Counted, { events, first, last }: EventSpan, now: number): number {
  const age = Math.max(LEAST_AGE_SECONDS, ((last ?? 0) - (first ?? 0)) / 1000);
  const perSecond = Math.max(LEAST_PER_SECOND, (TIMES_THE_AVERAGE * events) / age);
  const lost = Math.max(0, now - handed.at) / 1000;
  return handed[counted] + LEAST_JUMP + Math.ceil(lost * perSecond);
}

/**
 * Returns the id of a transaction's event, which is also the `webhook-id` of its callback. It contains the epoch after
 * a restore.
 */
export function transactionEventId(transactionId: number, sequence: number, epoch: number): string {
  return epoch === 0 ? `evt_${transactionId}_${sequence}` : `evt_${transactionId}_${sequence}_${epoch}`;
}
