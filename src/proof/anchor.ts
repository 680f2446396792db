import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { installationKey } from '../sealing/kept-key.ts';

/** `audit`: who did what (docs/audit.md). The feed and the audit log are one for the whole store, so their environment is 0. */
export type SealedChain = 'books' | 'facts' | 'feed' | 'audit';

/** The end of a chain. */
export type AnchorHead = { chain: SealedChain; environment_id: number; link: number; hash: string };

/**
 * A person's word that the store was restored, and that what anchors say of the time that was lost is no longer in it: those
 * of an earlier epoch with a number above `after`. `began_at` is in ISO 8601, `by` the name of the person.
 */
export type Acceptance = { epoch: number; began_at: string; after: number; by: string; reason: string | null };

/**
 * The ends of the chains at a moment. The first of a day (in Chile) has all of them, a later one those that have moved.
 * `number` counts from 1, `previous` is the MAC of the one before ('' for the first), `made_at` is in ISO 8601. `epoch` is
 * left out before the first restore; after one, numbers that were lost are used again.
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

/** An anchor with its seal, and the text that was sealed. */
export type SealedAnchor = { anchor: Anchor; content: string; mac: string };

const ANCHOR_KEY = installationKey('books-anchor');

/** The key that anchors are sealed with: derived from MASTER_KEY when the first is made, and kept through its replacement. */
export function anchorKey(app: App): Promise<string> {
  return ANCHOR_KEY.keep(app);
}

/** The same for who only reads. */
export function anchorKeyForReading(app: App): Promise<string> {
  return ANCHOR_KEY.read(app);
}

/** HMAC-SHA256 of the text, in lower-case hexadecimal. */
export function macOf(key: string, content: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(content).digest('hex');
}

/** Whether this key has sealed it. */
export function isGenuine(key: string, { content, mac }: Pick<SealedAnchor, 'content' | 'mac'>): boolean {
  const [expected, given] = [Buffer.from(macOf(key, content)), Buffer.from(mac)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** One line: the anchor with its `mac` as the last member. */
export function anchorLine({ content, mac }: Pick<SealedAnchor, 'content' | 'mac'>): string {
  return `${content.slice(0, -1)},"mac":${JSON.stringify(mac)}}`;
}

/** The inverse; null for any other line, such as one that was not written to its end. */
export function readAnchorLine(line: string): SealedAnchor | null {
  try {
    const { mac, ...anchor } = JSON.parse(line) as Anchor & { mac: unknown };
    if (typeof mac !== 'string' || !Number.isSafeInteger(anchor.number) || !Array.isArray(anchor.heads)) return null;
    return { anchor, content: JSON.stringify(anchor), mac };
  } catch {
    return null;
  }
}
