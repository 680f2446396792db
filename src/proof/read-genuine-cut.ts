import type { App } from '../app.ts';
import { type FeedCut, isGenuineCut } from '../outbox/feed-cut.ts';
import { selectLastCut } from '../outbox/feed-cut-queries.ts';

/**
 * The last cut of the feed; null where nothing was cut, or this service did not make it. It is written down before the first of
 * its events goes: read after a page of events, it explains each that was missing in the page because of its age.
 */
export async function readGenuineCut(app: App): Promise<FeedCut | null> {
  const cut = await selectLastCut(app.db);
  return cut !== null && (await isGenuineCut(app, cut)) ? cut : null;
}
