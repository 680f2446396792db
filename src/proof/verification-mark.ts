import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { App } from '../app.ts';
import { selectStoreMark } from '../epochs/epoch-queries.ts';
import { fileOfStore } from '../epochs/mark-file.ts';
import { replaceFile } from '../lib/replace-file.ts';
import type { Place } from '../lib/walk.ts';
import { installationKey } from '../sealing/kept-key.ts';
import { isGenuine, macOf } from './anchors/anchor.ts';

/** The verifications with a mark: `books verify` and `audit verify`. */
export type Verified = 'books' | 'audit';

/**
 * The progress of a verification. It is a file in DATA_DIR, which a writer of the database cannot change, and is sealed
 * with a key derived from MASTER_KEY. So a forged mark, or a mark of another store, is detected. `begun_at` is in UTC
 * milliseconds; `places` by name of walk.
 */
export type VerificationMark = {
  verified: Verified;
  store: string;
  epoch: number;
  begun_at: number;
  places: Record<string, Place>;
};

const KEY = installationKey('verification-mark');

/** After a day everything is read again: rows that were verified first may have changed since. */
export const MARK_LASTS_MS = 24 * 3_600_000;

/** Creates a mark without progress. */
export async function newMark(app: App, verified: Verified): Promise<VerificationMark> {
  const { store_id, epoch } = await selectStoreMark(app.db);
  return { verified, store: store_id ?? '', epoch, begun_at: app.now(), places: {} };
}

/** Returns the mark of this store, or why the existing one is not used; null if there is no mark. */
export async function readVerificationMark(
  app: App,
  fresh: VerificationMark,
): Promise<VerificationMark | string | null> {
  const text = await readFile(markFile(app, fresh.verified), 'utf8').catch(() => null);
  if (text === null) return null;
  const content = await openMark(app, text);
  if (content === null) return 'this service did not write it, or not with this MASTER_KEY';
  const mark = JSON.parse(content) as VerificationMark;
  const isOfStore = mark.verified === fresh.verified && mark.store === fresh.store && mark.epoch === fresh.epoch;
  if (!isOfStore) return 'it is of another store, or of this one before it was restored';
  const age = fresh.begun_at - mark.begun_at;
  return age >= 0 && age < MARK_LASTS_MS ? mark : 'it is more than a day old, or the clock was set back';
}

/** Replaces the previous mark. Somebody may have stored a key of this name; then nothing would read the mark. */
export async function writeVerificationMark(app: App, mark: VerificationMark): Promise<void> {
  const key = await KEY.readUnlessChanged(app);
  if (key === null) return;
  const content = JSON.stringify(mark);
  await replaceFile(markFile(app, mark.verified), JSON.stringify({ content, mac: macOf(key, content) }));
}

/** Removes the mark after a completed verification. */
export function removeVerificationMark(app: App, verified: Verified): void {
  rmSync(markFile(app, verified), { force: true });
}

async function openMark(app: App, text: string): Promise<string | null> {
  try {
    const { content, mac } = JSON.parse(text) as { content: unknown; mac: unknown };
    if (typeof content !== 'string' || typeof mac !== 'string') return null;
    return isGenuine(await KEY.read(app), { content, mac }) ? content : null;
  } catch {
    return null;
  }
}

function markFile({ config }: App, verified: Verified): string {
  return fileOfStore(config, `${verified}-verified`);
}
