import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import {
  type CallbackFilter,
  type ListedCallback,
  selectCallbacks,
  selectResendable,
} from './callback-list-queries.ts';
import {
  type ListedAttempt,
  type StoredCallback,
  selectCallback,
  selectDeliveryAttempts,
} from './delivery-attempt-queries.ts';
import { requeueCallbacks } from './outbox-queries.ts';
import { type Destination, receiverOf, withDestination } from './webhooks/find-subscribers.ts';

/** Returns the newest callbacks that match a filter, with the outcome of their last attempt. */
export async function listCallbacks(
  app: App,
  filter: CallbackFilter,
  limit: number,
): Promise<(ListedCallback & Destination)[]> {
  return withDestination(app.db, await selectCallbacks(app.db, filter, limit));
}

/**
 * Sends a callback again: the same bytes, from the start of its schedule, due now. Enables its endpoint. Returns
 * `under_way` if it is being sent, `unwanted` if it may go nowhere now, null for an unknown id.
 * Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database serves its payment service.
 */
export async function resendCallback(
  app: App,
  id: number,
  by: Actor,
): Promise<'queued' | 'under_way' | 'unwanted' | null> {
  const found = await selectCallback(app.db, id);
  if (found === null) return null;
  await environmentHere(app, found);
  return app.db.transaction(async (tx) => {
    const callback = await selectCallback(tx, id);
    if (callback === null) return null;
    if ((await leaveWanted(tx, [callback])).length === 0) return 'unwanted';
    const at = app.now();
    if ((await requeueCallbacks(tx, [callback], at)) !== 1) {
      // Retention or an erasure may have deleted it meanwhile.
      return (await selectCallback(tx, id)) === null ? null : 'under_way';
    }
    await recordAudit(tx, { at, by, action: 'callback.resent', subject: { kind: 'callback', id: String(id) } });
    return 'queued';
  });
}

/**
 * Options of a run: `onProgress` gets the number so far, `most` stops it, `behind` is the callback after which it
 * starts.
 */
export type ResendRun = { onProgress?: (resent: number) => void; most?: number; behind?: number };

/** How many a form sends at once while a person waits: one or two seconds. */
export const RESENT_BY_FORM = 1_000;

/** Short commits, so that the service can work in between. */
const RESENT_TOGETHER = 100;

/**
 * Sends all callbacks that match a filter again, oldest first. Without a state: those that wait for another attempt,
 * were given up or are disabled. Skips environments that another database serves, and posts that may go nowhere now.
 * `onProgress` gets the number so far. An interrupted run loses nothing and can be repeated. Returns the number; with
 * `most` it stops at about that many, and `next` is where to continue (null: done). Throws `Problem`
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if nothing was sent because another database serves what the filter
 * names.
 */
export async function resendCallbacks(
  app: App,
  filter: CallbackFilter,
  by: Actor,
  { onProgress = () => {}, most = Number.MAX_SAFE_INTEGER, behind = 0 }: ResendRun = {},
): Promise<{ resent: number; next: number | null }> {
  let resent = 0;
  let lastId = behind;
  for (;;) {
    const afterId = lastId;
    const { environments: elsewhere } = await findElsewhere(app);
    const { callbacks, queued } = await app.db.transaction(async (tx) => {
      const found = await selectResendable(tx, filter, [...elsewhere], afterId, RESENT_TOGETHER);
      const at = app.now();
      const wanted = await leaveWanted(tx, found);
      // A delivery may have ended, or another run may have queued them, after they were found.
      const again = await requeueCallbacks(tx, wanted, at, filter.state ?? 'unfinished');
      const [from = 0, to = 0] = [wanted[0]?.id, wanted.at(-1)?.id];
      const [subject, after] = [{ kind: 'callback', id: `${from} to ${to}` }, { queued: again }];
      if (again > 0) await recordAudit(tx, { at, by, action: 'callback.resent', subject, after });
      return { callbacks: found, queued: again };
    });
    if (callbacks.length === 0) {
      if (resent === 0 && behind === 0) await refuseElsewhereOf(app, filter);
      return { resent, next: null };
    }
    resent += queued;
    onProgress(resent);
    lastId = callbacks.at(-1)?.id as number;
    if (resent >= most) return { resent, next: lastId };
  }
}

/** Leaves out the posts that may go nowhere any more, such as those to a user's webhook that has ended. */
export async function leaveWanted<Post extends { webhook_id: string; content_type: string; environment_id: number }>(
  tx: Tx,
  posts: readonly Post[],
): Promise<Post[]> {
  return (await withDestination(tx, posts)).filter((post) => receiverOf(post)?.url !== null);
}

/**
 * Throws if another database serves the newest callback of the payment service, transaction or endpoint in a filter.
 */
async function refuseElsewhereOf(app: App, filter: CallbackFilter): Promise<void> {
  const { state: _state, since: _since, until: _until, ...named } = filter;
  if (Object.keys(named).length === 0) return;
  // Checked first, because otherwise a filter without callbacks would scan all callbacks.
  const { paymentServices, environments } = await findElsewhere(app);
  const { paymentServiceId: id } = named;
  if (environments.size === 0 || (id !== undefined && !paymentServices.has(id))) return;
  const [newest] = await selectCallbacks(app.db, named, 1);
  if (newest !== undefined) await environmentHere(app, newest);
}

/**
 * Returns a callback with its bytes and all its delivery attempts, oldest first, with the responses. Null: unknown id.
 */
export async function findCallback(
  app: App,
  id: number,
): Promise<{ callback: StoredCallback & Destination; attempts: ListedAttempt[] } | null> {
  const found = await selectCallback(app.db, id);
  if (found === null) return null;
  const [callback] = (await withDestination(app.db, [found])) as [StoredCallback & Destination];
  return { callback, attempts: await selectDeliveryAttempts(app.db, callback) };
}
