import type { App } from '../../app.ts';
import { dayOf } from '../../lib/calendar-day.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { sealFeed } from '../../outbox/feed/seal-feed.ts';
import { readRestores, restoreThatLost } from '../restores/restore.ts';
import type { SealedAnchor } from './anchor.ts';
import { appendAnchors, lastAnchorsIn } from './anchor-folder.ts';
import { type AnchorRow, selectAnchorsAfter } from './anchor-queries.ts';
import { makeAnchor } from './make-anchor.ts';
import { postAnchors } from './post-anchors.ts';

/** Seals the ends of the chains when due, and copies the anchors to ANCHOR_DIR and ANCHOR_URL. Called by the worker. */
export async function keepAnchors(app: App): Promise<void> {
  await makeAnchor(app, 'due');
  try {
    await writeAnchors(app);
  } catch (error) {
    // A failure of one destination must not stop the other. The caller logs one error, so the other is logged here.
    await postAnchors(app).catch((err: unknown) => app.log.error({ err }, 'anchors could not be posted to ANCHOR_URL'));
    throw error;
  }
  await postAnchors(app);
}

/** The most links of 3,000 events to seal at the end of a process. The next process seals the rest. */
const LINKS_AT_END = 10;

/** Seals the last changes when a process ends, so that their loss is found at the next start. */
export async function keepLastAnchor(app: App): Promise<void> {
  for (let link = 0; link < LINKS_AT_END && (await sealFeed(app)) > 0; link++);
  await makeAnchor(app, 'moved');
  await writeAnchors(app);
}

const PAGE = 100;
const alarms = perInstance((_app: App) => ({ raised: false }));

/**
 * Writes the store's anchors after the last one in ANCHOR_DIR. It never overwrites. If the folder has an anchor that
 * the store does not know, the store has gone back, and an alarm is logged. After an accepted restore, new anchors
 * follow the lost ones.
 */
export async function writeAnchors(app: App): Promise<void> {
  const folder = app.config.anchorDir;
  if (folder === null) return;
  const { place, unknown } = await placeIn(app, folder);
  if (unknown !== null) return alarm(app, unknown);
  let number = place;
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectAnchorsAfter(app.db, number, PAGE);
    for (const [day, ofDay] of Map.groupBy(rows, (row: AnchorRow) => row.day)) appendAnchors(folder, day, ofDay);
    number = rows.at(-1)?.number ?? number;
    page = rows.length;
  }
}

/**
 * Returns the number up to which a folder has the store's anchors. `unknown`: an anchor in the folder that the store
 * does not have.
 */
export async function placeIn(app: App, folder: string): Promise<{ place: number; unknown: SealedAnchor | null }> {
  let place = 0;
  for (const last of lastAnchorsIn(folder, dayOf(app.now()))) {
    const after = await placeAfter(app, last);
    if (after === null) return { place, unknown: last };
    place = Math.max(place, after);
  }
  return { place, unknown: null };
}

/** Returns the number after which the store's anchors follow this one; null if the store does not know it. */
async function placeAfter(app: App, last: SealedAnchor): Promise<number | null> {
  if (await isKnown(app, last)) return last.anchor.number;
  const restore = restoreThatLost(await readRestores(app), last.anchor);
  return restore === undefined || restore.accepted === null ? null : restore.after;
}

async function isKnown(app: App, { anchor, mac }: SealedAnchor): Promise<boolean> {
  const [row] = await selectAnchorsAfter(app.db, anchor.number - 1, 1);
  return row?.number === anchor.number && row.mac === mac;
}

/** Logs the alarm once per process; the condition lasts until a person acts. */
function alarm(app: App, { anchor }: SealedAnchor): void {
  if (alarms(app).raised) return;
  alarms(app).raised = true;
  app.log.error(
    { alarm: 'anchor_contradicts', anchor: anchor.number, day: anchor.day },
    'ANCHOR_DIR has an anchor that the store does not know: the store is older than it was; if it was restored, bin/rubrica release accepts that; see bin/rubrica books verify',
  );
}
