import type { App } from '../app.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { deleteAttempts, deleteCallbacks, selectOldAttempts, selectOldCallbacks } from './old-callback-queries.ts';

const DAY_MS = 86_400_000;
/** `attention list` shows given-up callbacks for this long. */
const ASKED_ABOUT_MS = 7 * DAY_MS;

/**
 * Deletes callbacks and delivery attempts older than RETENTION_CALLBACKS and RETENTION_DELIVERY_ATTEMPTS, at most
 * `limit` of each in one commit. Returns how many. Callbacks that wait stay, and so do the events.
 */
export async function deleteOldCallbacks(app: App, limit: number): Promise<number> {
  const now = app.now();
  const { deliveryAttempts, callbacks } = app.config.retentionDays;
  const givenUpBefore = now - ASKED_ABOUT_MS;
  const endedBefore = callbacks === null ? 0 : now - callbacks * DAY_MS;
  const startedBefore = deliveryAttempts === null ? 0 : now - deliveryAttempts * DAY_MS;
  const { environments, arriving } = await findElsewhere(app);
  const left = { givenUpBefore, elsewhere: [...environments], arriving: [...arriving] };
  const attempts = deliveryAttempts === null ? [] : await selectOldAttempts(app.db, { startedBefore, ...left }, limit);
  const ended = callbacks === null ? [] : await selectOldCallbacks(app.db, { endedBefore, ...left }, limit);
  if (attempts.length + ended.length === 0) return 0;
  await app.db.transaction(async (tx) => {
    await deleteAttempts(tx, attempts);
    await deleteCallbacks(tx, ended);
  });
  return attempts.length + ended.length;
}
