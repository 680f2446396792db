import { createHash, type Hash } from 'node:crypto';
import type { SqlRow } from '../db/database.ts';
import { EVENT_COLUMNS, type FeedRow } from './outbox-queries.ts';

/** A row of `feed_links`: what was committed to the feed since the link before it. Links count from 1. */
export type FeedLink = SqlRow & {
  link: number;
  /** UTC milliseconds. */
  made_at: number;
  /** The place in the feed of its last event. */
  commit_id: number;
  position: number;
  /** How many events it covers. */
  events: number;
  hash: string;
};

/** The place of an event in the feed, or (0, 0) before the first. */
export type PlaceInFeed = SqlRow & Pick<FeedLink, 'commit_id' | 'position'>;

/** The hash that the first link follows. */
export const FEED_GENESIS = '0'.repeat(64);

/** Begins the hash of a link: SHA-256 of the hash before it and a line of JSON for each event, in the order of the feed. */
export function beginLinkHash(previous: string): Hash {
  return createHash('sha256').update(`${previous}\n`);
}

/** The number in place of the environment for an event that belongs to none. */
export const NO_ENVIRONMENT = 0;

/** Adds events to the hash of a link. One that belongs to no environment is hashed with null, as links always were. */
export function addEvents(hash: Hash, rows: readonly FeedRow[]): void {
  hash.update(rows.map((row) => `${JSON.stringify(COLUMNS.map((column) => hashed(row, column)))}\n`).join(''));
}

function hashed(row: FeedRow, column: (typeof COLUMNS)[number]) {
  return column === 'environment_id' && row.environment_id === NO_ENVIRONMENT ? null : row[column];
}

const COLUMNS = ['commit_id', 'position', ...EVENT_COLUMNS] as const;
