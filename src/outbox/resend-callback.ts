import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
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

/** The newest callbacks for which `filter` holds, with the outcome of their last attempt. */
export function listCallbacks(app: App, filter: CallbackFilter, limit: number): Promise<ListedCallback[]> {
  return selectCallbacks(app.db, filter, limit);
}

/**
 * Sends a callback again, with the same bytes and from the start of its schedule, and enables its endpoint; one that waits is
 * due now. `under_way`: it is being sent at this moment. Answers null for an unknown id. Throws `Problem` PAYMENT_SERVICE_MOVED or
 * PAYMENT_SERVICE_MOVING where another database serves its payment service.
 */
export async function resendCallback(app: App, id: number, by: Actor): Promise<'queued' | 'under_way' | null> {
  const found = await selectCallback(app.db, id);
  if (found === null) return null;
  await environmentHere(app, found);
  return app.db.transaction(async (tx) => {
    const callback = await selectCallback(tx, id);
    if (callback === null) return null;
    const at = app.now();
    if ((await requeueCallbacks(tx, [callback], at)) !== 1) return 'under_way';
    await recordAudit(tx, { at, by, action: 'callback.resent', subject: { kind: 'callback', id: String(id) } });
    return 'queued';
  });
}

/** How a run goes: who is told of it, after how many it stops, and behind which callback it begins. */
export type ResendRun = { onProgress?: (resent: number) => void; most?: number; behind?: number };

/** So many at once by a form, which a person waits for: a second or two. */
export const RESENT_BY_FORM = 1_000;

/** Short commits, between which the service goes on. */
const RESENT_TOGETHER = 100;

/**
 * The same for every callback for which `filter` holds, the oldest first; without a state for what waits for another
 * attempt and what was given up. Left out is what another database serves by now. `onProgress` is told how many there were so
 * far; a run that is ended in the middle has lost nothing and can be run again. Answers how many; with `most`, after about so
 * many it stops, and `next` says where to go on (null: there are no more). Throws `Problem` PAYMENT_SERVICE_MOVED or
 * PAYMENT_SERVICE_MOVING where nothing is sent because another database serves what the filter names.
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
      const again = await requeueCallbacks(tx, found, at);
      const [from = 0, to = 0] = [found[0]?.id, found.at(-1)?.id];
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

/** Throws where the newest callback of the payment service, transaction or endpoint that a filter names is served elsewhere. */
async function refuseElsewhereOf(app: App, filter: CallbackFilter): Promise<void> {
  const { state: _state, since: _since, until: _until, ...named } = filter;
  if (Object.keys(named).length === 0) return;
  // Without any of its own, all callbacks would be read to find that.
  const { paymentServices, environments } = await findElsewhere(app);
  const { paymentServiceId: id } = named;
  if (environments.size === 0 || (id !== undefined && !paymentServices.has(id))) return;
  const [newest] = await selectCallbacks(app.db, named, 1);
  if (newest !== undefined) await environmentHere(app, newest);
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
  return callback === null ? null : { callback, attempts: await selectDeliveryAttempts(app.db, callback) };
}
