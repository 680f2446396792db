import type { SqlRow } from '../db/database.ts';

/** A row of `epochs`: the store was restored, and this began. Times are UTC milliseconds. */
export type Epoch = SqlRow & {
  /** UTC seconds at which it began. 0 is the time before the first restore, which has no row. */
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

/** How far ids had been given out at a moment, as somebody saw it: the store itself, or a mark outside of it. */
export type Handed = {
  epoch: number;
  /** The next id of a transaction; what is below it may have been given out. */
  transactions: number;
  /** The newest place of an event, which is its id too. */
  events: number;
  callbacks: number;
  /** UTC milliseconds. */
  at: number;
};

/** The counted ids that leave the service: of transactions, of events, and those by which `callback show` finds one. */
export const COUNTED = ['transactions', 'events', 'callbacks'] as const;

export type Counted = (typeof COUNTED)[number];

const LEAST_JUMP = 100_000_000;
const TIMES_THE_AVERAGE = 100;
const LEAST_PER_SECOND = 10;
const LEAST_AGE_SECONDS = 3600;

/** The events that a store holds: how many, and the time of the first and of the last. */
export type EventSpan = { events: number; first: number | null; last: number | null };

/**
 * The first number of a new epoch that cannot have been given out after `handed` was seen.
 *
 * Finds the first id beyond the lost time. Its ids cannot be read, so a bound stands in for them: a hundred million, and
 * for each second since then a hundred times as many as there were events on the average of the store's life, at least ten.
 * Time counts even where a hundred million would do, so that a backup restored twice does not go on at the same number. Ids
 * stay below 2^31 as long as they can: shops keep them in columns of 32 bits.
 */
export function firstBeyond(handed: Handed, counted: Counted, { events, first, last }: EventSpan, now: number): number {
  const age = Math.max(LEAST_AGE_SECONDS, ((last ?? 0) - (first ?? 0)) / 1000);
  const perSecond = Math.max(LEAST_PER_SECOND, (TIMES_THE_AVERAGE * events) / age);
  const lost = Math.max(0, now - handed.at) / 1000;
  return handed[counted] + LEAST_JUMP + Math.ceil(lost * perSecond);
}

/** The id of an event of a transaction, which is the `webhook-id` of its callback too. It says its epoch after a restore. */
export function transactionEventId(transactionId: number, sequence: number, epoch: number): string {
  return epoch === 0 ? `evt_${transactionId}_${sequence}` : `evt_${transactionId}_${sequence}_${epoch}`;
}
