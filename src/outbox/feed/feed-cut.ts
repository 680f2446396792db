import { createHmac } from 'node:crypto';
import type { App } from '../../app.ts';
import type { SqlRow } from '../../db/database.ts';
import { isSameText } from '../../lib/same-text.ts';
import { installationKey } from '../../sealing/kept-key.ts';

/**
 * A row of `feed_cuts`: the events of all links up to `link` are deleted because they are older than RETENTION_EVENTS.
 * That link was made at `until` and has this `hash`. `commit_id` and `position` are the place of its last event. Times
 * are UTC milliseconds.
 */
export type FeedCut = SqlRow & {
  number: number;
  made_at: number;
  link: number;
  until: number;
  commit_id: number;
  position: number;
  hash: string;
  mac: string;
};

const CUT_KEY = installationKey('feed-cut');

/**
 * Adds a MAC to a cut. Without the key, somebody with access to the database cannot delete events and present that as
 * their expiry.
 */
export async function sealCut(app: App, cut: Omit<FeedCut, 'mac'>): Promise<FeedCut> {
  return { ...cut, mac: macOf(await CUT_KEY.keep(app), partsOf(cut as FeedCut)) } as FeedCut;
}

/** Returns whether this service made the cut. Nothing proves that if the key was changed. */
export function isGenuineCut(app: App, cut: FeedCut): Promise<boolean> {
  return isSealed(app, partsOf(cut), cut.mac);
}

/** The cut of another database, as a move brings it: its payment service lacks events from up to `until`. */
export type BroughtCut = { until: number; mac: string };

/** The move that brings a cut, with its environments as stored. */
type Bringer = { id: string; environment_ids: string };

/** Adds a MAC of this store to a cut that a move brings to it. */
export async function sealBroughtCut(app: App, move: Bringer, until: number): Promise<BroughtCut> {
  return { until, mac: macOf(await CUT_KEY.keep(app), [move.id, move.environment_ids, until]) };
}

/** Returns whether this service sealed what the move brought. */
export function isGenuineBroughtCut(app: App, move: Bringer, { until, mac }: BroughtCut): Promise<boolean> {
  return isSealed(app, [move.id, move.environment_ids, until], mac);
}

type Parts = readonly (string | number)[];

function partsOf({ number, made_at, link, until, commit_id, position, hash }: FeedCut): Parts {
  return [number, made_at, link, until, commit_id, position, hash];
}

async function isSealed(app: App, parts: Parts, mac: string): Promise<boolean> {
  const key = await CUT_KEY.readUnlessChanged(app);
  return key !== null && isSameText(macOf(key, parts), mac);
}

/** Returns the HMAC-SHA256 of a JSON list. */
function macOf(key: string, parts: Parts): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(JSON.stringify(parts)).digest('hex');
}
