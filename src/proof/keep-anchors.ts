import type { App } from '../app.ts';
import { dayOf } from '../lib/calendar-day.ts';
import { perInstance } from '../lib/per-instance.ts';
import { sealFeed } from '../outbox/seal-feed.ts';
import type { SealedAnchor } from './anchor.ts';
import { appendAnchors, lastAnchorsIn } from './anchor-folder.ts';
import { type AnchorRow, selectAnchorsAfter } from './anchor-queries.ts';
import { makeAnchor } from './make-anchor.ts';
import { postAnchors } from './post-anchors.ts';
import { readRestores, restoreThatLost } from './restore.ts';

/** For the worker: seals the ends of the chains where that is due, and brings what was sealed to its second places. */
export async function keepAnchors(app: App): Promise<void> {
  await makeAnchor(app, 'due');
  try {
    await writeAnchors(app);
  } catch (error) {
    // The one place takes them also where the other cannot be written. The caller logs one error, so the other is logged here.
    await postAnchors(app).catch((err: unknown) => app.log.error({ err }, 'anchors could not be posted to ANCHOR_URL'));
    throw error;
  }
  await postAnchors(app);
}

/** So many links of 3,000 events are sealed before a process ends; the rest waits for the next. */
const LINKS_AT_END = 10;

/** For a process that ends: what it has done is sealed, so that it is missed if it is gone at the next start. */
export async function keepLastAnchor(app: App): Promise<void> {
  for (let link = 0; link < LINKS_AT_END && (await sealFeed(app)) > 0; link++);
  await makeAnchor(app, 'moved');
  await writeAnchors(app);
}

const PAGE = 100;
const alarms = perInstance((_app: App) => ({ raised: false }));

/**
 * Writes into ANCHOR_DIR what the store has beyond the last anchor there. It never writes over anything: where the folder
 * has an anchor that the store does not know, the store is older than it was, which is alarmed. Where a person has accepted
 * that it was restored, the anchors after the restore follow those that were lost.
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

/** The number up to which a folder has the anchors of the store; `unknown`: it has one that the store does not know. */
export async function placeIn(app: App, folder: string): Promise<{ place: number; unknown: SealedAnchor | null }> {
  let place = 0;
  for (const last of lastAnchorsIn(folder, dayOf(app.now()))) {
    const after = await placeAfter(app, last);
    if (after === null) return { place, unknown: last };
    place = Math.max(place, after);
  }
  return { place, unknown: null };
}

/** The number after which the store's anchors follow this one; null: it knows of none. */
async function placeAfter(app: App, last: SealedAnchor): Promise<number | null> {
  if (await isKnown(app, last)) return last.anchor.number;
  const restore = restoreThatLost(await readRestores(app), last.anchor);
  return restore === undefined || restore.accepted === null ? null : restore.after;
}

async function isKnown(app: App, { anchor, mac }: SealedAnchor): Promise<boolean> {
  const [row] = await selectAnchorsAfter(app.db, anchor.number - 1, 1);
  return row?.number === anchor.number && row.mac === mac;
}

/** Once by each process: it stays so until a person has looked. */
function alarm(app: App, { anchor }: SealedAnchor): void {
  if (alarms(app).raised) return;
  alarms(app).raised = true;
  app.log.error(
    { alarm: 'anchor_contradicts', anchor: anchor.number, day: anchor.day },
    'ANCHOR_DIR has an anchor that the store does not know: the store is older than it was; if it was restored, bin/rubrica release accepts that; see bin/rubrica books verify',
  );
}
