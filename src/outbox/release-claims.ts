import type { App } from '../app.ts';
import { releaseClaimedCallbacks } from './outbox-queries.ts';

/** Makes everything due at once that a worker has claimed. Only where no worker can be left that is still sending it. */
export async function releaseClaims(app: App): Promise<void> {
  await app.db.transaction((tx) => releaseClaimedCallbacks(tx, app.now()));
}
