import type { App } from '../app.ts';
import { updateReleased } from './epoch-queries.ts';

/** Lets go what was held after a restore. Answers false where nothing was held. `releasedBy` is the person who decided. */
export async function releaseEpoch(app: App, releasedBy: string): Promise<boolean> {
  return (await app.db.transaction((tx) => updateReleased(tx, app.now(), releasedBy))) > 0;
}
