import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { RowKey } from '../db/row-key.ts';
import { findHeld } from '../epochs/hold.ts';
import { Problem } from '../error-catalogue.ts';
import { worldTime } from '../lib/clock.ts';
import { randomToken } from '../lib/ids.ts';
import type { FetchOutcome } from '../lib/safe-fetch.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { callbackHeaders } from './callback-headers.ts';
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
import { selectCallback } from './delivery-attempt-queries.ts';
import { logAttempt } from './log-attempt.ts';
import { type ClaimedCallback, requeueCallbacks } from './outbox-queries.ts';
import { type Attempt, type Outcome, recordAttempts, weighAttempt } from './record-attempts.ts';

/** A claim lasts longer than an attempt can, like a claim of the worker. */
const LEASE_MS = 60_000;
const LOOK_EVERY_MS = 200;

/**
 * From now on the callbacks of an environment wait for this listener, and the service sends none of them; the one before ends.
 * `replay` is a callback to send again first. The caller has checked that the environment is one of development and that the
 * user sees it. Throws `Problem` `NOT_FOUND` for a callback that the environment does not have.
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
        throw new Problem('NOT_FOUND', {
          detail: {
            en: `There is no callback ${replay} of development here.`,
            es: `Aquí no hay un callback ${replay} de pruebas.`,
          },
        });
      await requeueCallbacks(tx, [callback], at);
    }
    const subject = { kind: 'payment_service', id: paymentServiceId };
    await recordAudit(tx, { at, by, action: 'callback.listener_begun', subject, after: { replay } });
  });
  return listener;
}

/**
 * Claims the callback that has been due for longest, as it would be sent to the shop; waits for one up to `waitMs`. Null: none
 * came. Throws `Problem` `LISTENER_ENDED` once another listener has taken the place.
 */
export async function takeNext(
  app: App,
  listener: RowKey<string>,
  waitMs: number,
  isGone: () => boolean,
): Promise<ClaimedPost | null> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    const found = await look(app, listener);
    if (found !== null || waited >= waitMs) return found;
    await sleep(LOOK_EVERY_MS);
    if (isGone() || app.stopping.aborted) return null;
  }
}

/**
 * Records what came of a callback, like any other delivery attempt. `retry` false: what failed is given up at once. Throws
 * `Problem` `LISTENER_ENDED` where the claim is another's by now; then nothing is recorded.
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
    const made = attemptOf(app, callback, report, now);
    const outcomes = await recordAttempts(app, tx, [made]);
    return { attempt: made, recorded: outcomes.get(callback.id) ?? null };
  });
  app.metrics.deliveries.inc({ outcome: recorded?.step.kind ?? 'stale' });
  if (recorded?.step.kind !== 'delivered') logAttempt(app, attempt, recorded);
  if (recorded === null) throw ended();
  return recorded;
}

/** The service sends the callbacks of the environment itself again. Nothing happens where it does already. */
export async function endListening(app: App, listener: RowKey<string>): Promise<void> {
  await app.db.transaction((tx) => deleteListener(tx, listener));
}

/** A look that finds nothing costs two reads; it is a commit only when the listener's time is to be renewed. */
async function look(app: App, listener: RowKey<string>): Promise<ClaimedPost | null> {
  const now = app.now();
  const stored = await selectListener(app.db, listener.environment_id);
  if (stored?.id !== listener.id) throw ended();
  const isFresh = stored.ends_at - now > LISTENER_MS / 2;
  if (isFresh && !(await hasDue(app.db, listener.environment_id, now))) return null;
  const held = (await findHeld(app)) !== null;
  const claimed = await app.db.transaction(async (tx) => {
    if (!(await updateListenerEnd(tx, listener, now + LISTENER_MS))) throw ended();
    const claim = { lease: randomToken(12), now, until: now + LEASE_MS };
    return held ? null : claimOldest(tx, listener.environment_id, claim);
  });
  return claimed === null ? null : postOf(app, claimed);
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
  const attempt = weighAttempt(app, callback, outcome, { startedAt: now - outcome.durationMs, endedAt: now });
  const isLast = !retry && attempt.step.kind === 'retry';
  return isLast ? { ...attempt, step: { kind: 'dead', reason: 'exhausted' } } : attempt;
}

function ended(): Problem {
  return new Problem('LISTENER_ENDED');
}
