import { createHash, type Hash } from 'node:crypto';
import type { SqlRow } from '../db/database.ts';
import type { FeedRow } from './outbox-queries.ts';

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

/** What the first link follows. */
export const FEED_GENESIS = '0'.repeat(64);

/** Begins the hash of a link: SHA-256 of the hash before it and a line of JSON for each event, in the order of the feed. */
export function beginLinkHash(previous: string): Hash {
  return createHash('sha256').update(`${previous}\n`);
}

/** Adds events to the hash of a link. */
export function addEvents(hash: Hash, rows: readonly FeedRow[]): void {
  hash.update(rows.map((row) => `${JSON.stringify(COLUMNS.map((column) => row[column]))}\n`).join(''));
}

const COLUMNS = [
  'commit_id',
  'position',
  'environment_id',
  'transaction_id',
  'sequence',
  'created_at',
  'type',
  'user_id',
  'data',
] as const;
