import type { App } from '../../app.ts';
import { type FeedCut, isGenuineCut } from './feed-cut.ts';
import { selectLastCut } from './feed-cut-queries.ts';

/**
 * Returns the last cut of the feed; null if nothing was cut or the cut is forged. A cut is recorded before the first of
 * its events is deleted. So a cut that is read after a page of events explains every event that the page lacks for its
 * age.
 */
export async function readGenuineCut(app: App): Promise<FeedCut | null> {
  const cut = await selectLastCut(app.db);
  return cut !== null && (await isGenuineCut(app, cut)) ? cut : null;
}
