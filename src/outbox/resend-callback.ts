import type { App } from '../app.ts';
import { callbackExists, type ListedAttempt, selectDeliveryAttempts } from './delivery-attempt-queries.ts';
import { type CallbackState, type ListedCallback, requeueCallback, selectCallbacks } from './outbox-queries.ts';

/** The newest callbacks, of one state or of all, with the outcome of their last attempt. */
export function listCallbacks(app: App, state: CallbackState | null, limit: number): Promise<ListedCallback[]> {
  return selectCallbacks(app.db, state ?? '', limit);
}

/**
 * Sends a callback again, with the same bytes and from the start of its schedule, and enables its endpoint.
 * Answers false for an unknown id.
 */
export function resendCallback(app: App, id: number): Promise<boolean> {
  return app.db.transaction((tx) => requeueCallback(tx, id, app.now()));
}

/** Every attempt to deliver a callback, the first first, with what the merchant's server answered. Null: unknown id. */
export async function listDeliveryAttempts(app: App, callbackId: number): Promise<ListedAttempt[] | null> {
  return (await callbackExists(app.db, callbackId)) ? selectDeliveryAttempts(app.db, callbackId) : null;
}
