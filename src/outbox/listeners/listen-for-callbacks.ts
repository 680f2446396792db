import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { RowKey } from '../../db/row-key.ts';
import { findHeld } from '../../epochs/hold.ts';
import { notFound, Problem } from '../../error-catalogue.ts';
import { worldTime } from '../../lib/clock.ts';
import { randomToken } from '../../lib/ids.ts';
import type { FetchOutcome } from '../../lib/network/safe-fetch.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { environmentOf } from '../../payment-services/find-environment.ts';
import { callbackHeaders } from '../callback-headers.ts';
import { CALLBACK_LEASE_MS } from '../callback-state.ts';
import { selectCallback } from '../delivery-attempt-queries.ts';
import { logAttempt } from '../log-attempt.ts';
import { type ClaimedCallback, requeueCallbacks } from '../outbox-queries.ts';
import { type Attempt, type Outcome, recordAttempts, withNextStep } from '../record-attempts.ts';
import { leaveWanted } from '../resend-callback.ts';
import { followReceiver, stepForReceiver } from '../webhooks/follow-receiver.ts';
import { type ClaimedPost, LISTENER_MS } from './callback-listener.ts';
import {
  claimOldest,
  deleteListener,
  hasDue,
  selectClaimed,
  selectListener,
  updateListenerEnd,
  upsertListener,
} from './callback-listener-queries.ts';

const LOOK_EVERY_MS = 200;

/**
 * Starts a listener: the callbacks of an environment wait for it, and the service no longer sends them. An earlier
 * listener ends. `replay`: a callback to send again first. The caller has checked that the environment is for
 * development and that the user sees it. Throws `Problem` `NOT_FOUND` if the environment does not have the callback, or
 * it may go nowhere any more.
 */
export async function beginListening(
  app: App,
  {
    environmentId,
    paymentServiceId,
    replay,
  }: { environmentId: number; paymentServiceId: string; replay: number | null },
  by: Actor,
): Promise<RowKey<string>> {
  const at = app.now();
  const listener = { environment_id: environmentId, id: randomToken(16) };
  await app.db.transaction(async (tx) => {
    await upsertListener(tx, { ...listener, started_by: by.name, started_at: at, ends_at: at + LISTENER_MS });
    if (replay !== null) {
      const callback = await selectCallback(tx, replay);
      if (callback?.environment_id !== environmentId)
        throw notFound(
          `There is no callback ${replay} of development here: on the machine of the service, bin/rubrica callback list has their ids, and GET /transactions/{id} the ids for one payment.`,
          `Aquí no hay un callback ${replay} de pruebas: en la máquina del servicio, bin/rubrica callback list tiene sus id, y GET /transactions/{id} los de un pago.`,
        );
      if ((await leaveWanted(tx, [callback])).length === 0)
        throw notFound(
          `Callback ${replay} is for a user's webhook that gets nothing now, or an events URL that was removed, so it is not sent. Replay another callback.`,
          `El callback ${replay} es para un webhook de un usuario que ya no recibe nada, o para una URL de eventos que se quitó: no se envía. Repite otro callback.`,
        );
      // Also while the service or the listener that this one replaces sends it: otherwise it would not come here.
      await requeueCallbacks(tx, [callback], at, 'under_way');
    }
    const subject = { kind: 'payment_service', id: paymentServiceId };
    await recordAudit(tx, { at, by, action: 'callback.listener_begun', subject, after: { replay } });
  });
  return listener;
}

/** The newest request of each listener that waits in this process, by the listener's id. */
const waiting = perInstance((_app: App) => new Map<string, symbol>());

/**
 * Claims the callback that has been due longest, as the shop would get it; waits for one up to `waitMs`. Null: none
 * came, or a newer request of the same listener waits: requests in any number cost as much as one, and a lost one
 * takes no callback. Throws `Problem` `LISTENER_ENDED` if another listener has replaced this one.
 */
export async function takeNext(
  app: App,
  listener: RowKey<string>,
  waitMs: number,
  isGone: () => boolean,
): Promise<ClaimedPost | null> {
  const turn = Symbol(listener.id);
  const newest = waiting(app).set(listener.id, turn);
  try {
    for (let waited = 0; ; waited += LOOK_EVERY_MS) {
      const found = await look(app, listener);
      if (found !== null || waited >= waitMs) return found;
      await sleep(LOOK_EVERY_MS);
      if (isGone() || app.stopping.aborted || newest.get(listener.id) !== turn) return null;
    }
  } finally {
    if (newest.get(listener.id) === turn) newest.delete(listener.id);
  }
}

/**
 * Records the outcome of a callback like any other delivery attempt. `retry` false: a failed callback is given up at
 * once, unless its webhook has another URL by now. Throws `Problem` `LISTENER_ENDED` if the lease is no longer valid;
 * then nothing is recorded.
 */
export async function reportAttempt(
  app: App,
  listener: RowKey<string>,
  report: { callbackId: number; lease: string; outcome: FetchOutcome; retry: boolean },
): Promise<Outcome> {
  const now = app.now();
  const { environment_id } = listener;
  const { attempt, recorded } = await app.db.transaction(async (tx) => {
    const callback = await selectClaimed(tx, { id: report.callbackId, environment_id }, report.lease);
    if (callback === null || !(await updateListenerEnd(tx, listener, now + LISTENER_MS))) throw ended();
    const planned = attemptOf(app, callback, report, now);
    const made = { ...planned, step: await stepForReceiver(tx, callback, planned.step) };
    const outcome = (await recordAttempts(app, tx, [made])).get(callback.id);
    // The lease has passed to another process since it was read.
    if (outcome === undefined) throw ended();
    return { attempt: made, recorded: outcome };
  });
  app.metrics.deliveries.inc({ outcome: recorded.step.kind });
  if (recorded.step.kind !== 'delivered') logAttempt(app, attempt, recorded);
  return recorded;
}

/**
 * Ends a listener, so that the service sends the environment's callbacks again. Does nothing if it has already ended.
 */
export async function endListening(app: App, listener: RowKey<string>): Promise<void> {
  await app.db.transaction((tx) => deleteListener(tx, listener));
}

/** A poll without a callback costs two reads, and a commit only to renew the listener. */
async function look(app: App, listener: RowKey<string>): Promise<ClaimedPost | null> {
  const now = app.now();
  const stored = await selectListener(app.db, listener.environment_id);
  if (stored?.id !== listener.id) throw ended();
  const isFresh = stored.ends_at - now > LISTENER_MS / 2;
  if (isFresh && !(await hasDue(app.db, listener.environment_id, now))) return null;
  const held = (await findHeld(app)) !== null;
  const claimed = await app.db.transaction(async (tx) => {
    if (!(await updateListenerEnd(tx, listener, now + LISTENER_MS))) throw ended();
    const claim = { lease: randomToken(12), now, until: now + CALLBACK_LEASE_MS };
    return held ? null : claimOldest(tx, listener.environment_id, claim);
  });
  return claimed !== null && (await followReceiver(app, claimed)) ? postOf(app, claimed) : null;
}

async function postOf(app: App, callback: ClaimedCallback): Promise<ClaimedPost> {
  const environment = await environmentOf(app, callback);
  return {
    id: callback.id,
    lease: callback.lease,
    transactionId: callback.transaction_id,
    attempt: callback.attempts + 1,
    url: callback.url,
    headers: callbackHeaders(environment, callback, worldTime(app.now)),
    body: callback.body,
  };
}

function attemptOf(
  app: App,
  callback: ClaimedCallback,
  { outcome, retry }: { outcome: FetchOutcome; retry: boolean },
  now: number,
): Attempt {
  const attempt = withNextStep(app, callback, outcome, { startedAt: now - outcome.durationMs, endedAt: now });
  const isLast = !retry && attempt.step.kind === 'retry';
  return isLast ? { ...attempt, step: { kind: 'dead', reason: 'exhausted' } } : attempt;
}

function ended(): Problem {
  return new Problem('LISTENER_ENDED');
}
