import type { App } from '../app.ts';
import type { CallbackState } from './callback-state.ts';
import {
  type ListedAttempt,
  type StoredCallback,
  selectCallback,
  selectDeliveryAttempts,
} from './delivery-attempt-queries.ts';
import {
  type ListedCallback,
  type ResendFilter,
  requeueCallbacks,
  selectCallbackIds,
  selectCallbacks,
} from './outbox-queries.ts';

/** The newest callbacks, of one state or of all, with the outcome of their last attempt. */
export function listCallbacks(app: App, state: CallbackState | null, limit: number): Promise<ListedCallback[]> {
  return selectCallbacks(app.db, state ?? '', limit);
}

/**
 * Sends a callback again, with the same bytes and from the start of its schedule, and enables its endpoint.
 * Answers false for an unknown id.
 */
export async function resendCallback(app: App, id: number): Promise<boolean> {
  return (await app.db.transaction((tx) => requeueCallbacks(tx, [id], app.now()))) === 1;
}

/** Short commits, between which the service goes on. */
const RESENT_TOGETHER = 100;

/**
 * The same for every callback that is given up or disabled, as far as `filter` says, the oldest first. `onProgress` is told
 * how many there were so far; whoever is ended in the middle has lost nothing and can be run again. Answers how many.
 */
export async function resendCallbacks(
  app: App,
  filter: ResendFilter,
  onProgress: (resent: number) => void,
): Promise<number> {
  let resent = 0;
  let lastId = 0;
  for (;;) {
    const afterId = lastId;
    const ids = await app.db.transaction(async (tx) => {
      const found = await selectCallbackIds(tx, filter, afterId, RESENT_TOGETHER);
      await requeueCallbacks(tx, found, app.now());
      return found;
    });
    if (ids.length === 0) return resent;
    resent += ids.length;
    onProgress(resent);
    lastId = ids.at(-1) as number;
  }
}

/**
 * A callback with the bytes that are sent, and every attempt to deliver it, the first first, with what the merchant's
 * server answered. Null: unknown id.
 */
export async function findCallback(
  app: App,
  id: number,
): Promise<{ callback: StoredCallback; attempts: ListedAttempt[] } | null> {
  const callback = await selectCallback(app.db, id);
  return callback === null ? null : { callback, attempts: await selectDeliveryAttempts(app.db, id) };
}
