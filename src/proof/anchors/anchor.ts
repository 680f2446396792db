import { createHmac } from 'node:crypto';
import type { App } from '../../app.ts';
import { isSameText } from '../../lib/same-text.ts';
import { installationKey } from '../../sealing/kept-key.ts';

/**
 * The sealed chains. `audit` is the audit log (docs/audit.md). The feed and the audit log cover the whole store, so
 * their environment is 0.
 */
export type SealedChain = 'books' | 'facts' | 'feed' | 'audit';

/** The end of a chain. */
export type AnchorHead = { chain: SealedChain; environment_id: number; link: number; hash: string };

/**
 * A person's statement that the store was restored. Anchors of an earlier epoch with a number above `after` then no
 * longer count against the store. `began_at` is in ISO 8601, `by` the name of the person.
 */
export type Acceptance = { epoch: number; began_at: string; after: number; by: string; reason: string | null };

/**
 * The ends of the chains at a moment. The first anchor of a day (in Chile) has all chains, a later one only the chains
 * that have grown. `number` counts from 1. `previous` is the MAC of the previous anchor ('' for the first). `made_at`
 * is in ISO 8601. `epoch` is missing before the first restore; after a restore, lost numbers are reused.
 */
export type Anchor = {
  number: number;
  day: string;
  made_at: string;
  epoch?: number;
  accepted?: Acceptance;
  previous: string;
  heads: AnchorHead[];
};

/** An anchor with its seal and the sealed text. */
export type SealedAnchor = { anchor: Anchor; content: string; mac: string };

/** The name of the stored key that seals anchors. */
export const ANCHOR_KEY_NAME = 'books-anchor';

const ANCHOR_KEY = installationKey(ANCHOR_KEY_NAME);

/**
 * Returns the key that seals anchors. The first anchor derives it from MASTER_KEY; it survives a replacement of
 * MASTER_KEY.
 */
export function anchorKey(app: App): Promise<string> {
  return ANCHOR_KEY.keep(app);
}

/** Returns the same key for a caller that only reads. */
export function anchorKeyForReading(app: App): Promise<string> {
  return ANCHOR_KEY.read(app);
}

/** Returns the same key; null if the stored one was changed. */
export function anchorKeyUnlessChanged(app: App): Promise<string | null> {
  return ANCHOR_KEY.readUnlessChanged(app);
}

/** Returns the HMAC-SHA256 of the text, in lower-case hexadecimal. */
export function macOf(key: string, content: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(content).digest('hex');
}

/** Returns whether this key has sealed the anchor. */
export function isGenuine(key: string, { content, mac }: Pick<SealedAnchor, 'content' | 'mac'>): boolean {
  return isSameText(macOf(key, content), mac);
}

/** Writes an anchor as one line, with its `mac` as the last member. */
export function anchorLine({ content, mac }: Pick<SealedAnchor, 'content' | 'mac'>): string {
  return `${content.slice(0, -1)},"mac":${JSON.stringify(mac)}}`;
}

/** Parses such a line; null for any other text, such as an unfinished line. */
export function readAnchorLine(line: string): SealedAnchor | null {
  try {
    const { mac, ...anchor } = JSON.parse(line) as Anchor & { mac: unknown };
    if (typeof mac !== 'string' || !Number.isSafeInteger(anchor.number) || !Array.isArray(anchor.heads)) return null;
    return { anchor, content: JSON.stringify(anchor), mac };
  } catch {
    return null;
  }
}
