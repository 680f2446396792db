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
  return { ...cut, mac: macOf(await CUT_KEY.keep(app), cut as FeedCut) } as FeedCut;
}

/** Returns whether this service made the cut. Nothing proves that if the key was changed. */
export async function isGenuineCut(app: App, cut: FeedCut): Promise<boolean> {
  const key = await CUT_KEY.readUnlessChanged(app);
  return key !== null && isSameText(macOf(key, cut), cut.mac);
}

/** Returns the HMAC-SHA256 of the other columns, as a JSON list. */
function macOf(key: string, { number, made_at, link, until, commit_id, position, hash }: FeedCut): string {
  const text = JSON.stringify([number, made_at, link, until, commit_id, position, hash]);
  return createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
}
