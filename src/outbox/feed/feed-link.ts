import { createHash, type Hash } from 'node:crypto';
import type { SqlRow } from '../../db/database.ts';
import { EVENT_COLUMNS, type FeedRow } from './feed-queries.ts';

/** A row of `feed_links`: the events committed to the feed since the previous link. Links count from 1. */
export type FeedLink = SqlRow & {
  link: number;
  /** UTC milliseconds. */
  made_at: number;
  /** The place of its last event. */
  commit_id: number;
  position: number;
  /** The number of its events. */
  events: number;
  hash: string;
};

/** The hash before the first link. */
export const FEED_GENESIS = '0'.repeat(64);

/** Begins the hash of a link: SHA-256 of the previous hash and one line of JSON per event, in the order of the feed. */
export function beginLinkHash(previous: string): Hash {
  return createHash('sha256').update(`${previous}\n`);
}

/** Stands for the environment of an event that belongs to none. */
export const NO_ENVIRONMENT = 0;

/** Adds events to the hash of a link. An event without an environment is hashed with null, as in older links. */
export function addEvents(hash: Hash, rows: readonly FeedRow[]): void {
  hash.update(rows.map((row) => `${JSON.stringify(COLUMNS.map((column) => hashed(row, column)))}\n`).join(''));
}

function hashed(row: FeedRow, column: (typeof COLUMNS)[number]) {
  return column === 'environment_id' && row.environment_id === NO_ENVIRONMENT ? null : row[column];
}

const COLUMNS = ['commit_id', 'position', ...EVENT_COLUMNS] as const;
