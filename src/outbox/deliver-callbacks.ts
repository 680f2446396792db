import type { App } from '../app.ts';
import type { SqlRow, Tx } from '../db/database.ts';
import { type Batcher, createBatcher } from '../lib/batcher.ts';
import { randomToken } from '../lib/ids.ts';
import type { FetchOutcome } from '../lib/safe-fetch.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { callbackHeaders } from './callback-headers.ts';
import {
  type ClaimedCallback,
  claimCallbacks,
  disableEndpoint,
  insertDeliveryAttempts,
  releaseCallback,
  selectOldestDue,
  updateCallback,
} from './outbox-queries.ts';
import { type NextStep, nextStep } from './retry-schedule.ts';

/** A claim lasts longer than an attempt can (15 s), so a worker that is alive never loses one under way. */
const LEASE_MS = 60_000;
/** What is not begun by then is left to whoever claims it next. */
const START_WITHIN_MS = 40_000;
const CONCURRENT_PER_ENDPOINT = 4;
const CLAIMED_PER_ENDPOINT = 64;
const CLAIMED_AT_ONCE = 512;
/** With so many endpoints that do not keep up, nothing more is taken on until one of their requests ends. */
const BUSY_ENDPOINTS = 200;

export type CallbackDelivery = {
  /** Claims what is due and begins to send it. Answers how many were claimed. */
  poll(): Promise<number>;
  /** Gives back what was not begun and waits for what was. */
  drain(): Promise<void>;
};

/** What this worker holds of one endpoint. One dead merchant fills its own queue and delays nobody. */
type EndpointQueue = { waiting: Claim[]; sending: number };

type Claim = ClaimedCallback & { claimedAt: number };

type Attempt = { callback: ClaimedCallback; startedAt: number; outcome: FetchOutcome };

/** What follows from an attempt. Stale: the worker had lost its lease by then, and changed nothing. */
type Recorded = { step: NextStep['kind']; stale: boolean };

/**
 * The delivery engine: at least once, each attempt recorded, a schedule per callback, a queue per endpoint.
 *
 * It has no clock, no socket and no timer of its own (`app.now`, `app.fetch`, and `poll` called from outside), so the
 * same engine runs in production and in the simulation of `test/faults`.
 */
export function createCallbackDelivery(app: App): CallbackDelivery {
  const queues = new Map<number, EndpointQueue>();
  const sending = new Set<Promise<void>>();
  const recorder = createRecorder(app);
  let draining = false;

  const begin = (endpointId: number, queue: EndpointQueue) => {
    while (!draining && queue.sending < CONCURRENT_PER_ENDPOINT && queue.waiting.length > 0) {
      const callback = queue.waiting.shift() as Claim;
      queue.sending++;
      const end = (recorded: Recorded | null) => {
        // What waits for this endpoint is `disabled` in the store by now, by this worker or by another.
        if (recorded?.step === 'disable') queue.waiting.length = 0;
        sending.delete(done);
        queue.sending--;
        begin(endpointId, queue);
        if (queue.sending === 0) queues.delete(endpointId);
      };
      const done = attempt(app, callback, recorder).then(end);
      sending.add(done);
    }
  };

  const poll = async () => {
    const busy = [...queues].filter(
      ([, { waiting, sending: now }]) => waiting.length > 0 || now === CONCURRENT_PER_ENDPOINT,
    );
    if (busy.length >= BUSY_ENDPOINTS) await Promise.race(sending);
    const claims = await claim(
      app,
      busy.map(([endpointId]) => endpointId),
    );
    for (const callback of claims) {
      const queue = queues.get(callback.endpoint_id) ?? { waiting: [], sending: 0 };
      queues.set(callback.endpoint_id, queue);
      queue.waiting.push(callback);
    }
    for (const [endpointId, queue] of queues) begin(endpointId, queue);
    return claims.length;
  };

  const drain = async () => {
    draining = true;
    const unsent = [...queues.values()].flatMap((queue) => queue.waiting.splice(0));
    if (unsent.length > 0) await release(app, unsent);
    await Promise.all(sending);
  };

  return { poll, drain };
}

async function claim(app: App, excluded: readonly number[]): Promise<Claim[]> {
  const now = app.now();
  // Most looks find nothing; they cost a read, not a commit.
  const oldest = await selectOldestDue(app.db);
  app.metrics.callbacksLateSeconds.set(oldest === null ? 0 : Math.max(0, now - oldest) / 1000);
  if (oldest === null || oldest > now) return [];
  const claims = await app.db.transaction((tx) =>
    claimCallbacks(tx, {
      lease: randomToken(12),
      now,
      until: now + LEASE_MS,
      perEndpoint: CLAIMED_PER_ENDPOINT,
      limit: CLAIMED_AT_ONCE,
      excluded,
    }),
  );
  // `returning` promises no order.
  return claims.map((row) => ({ ...row, claimedAt: now })).sort((one, other) => one.id - other.id);
}

function release(app: App, claims: readonly Claim[]): Promise<void> {
  return app.db.transaction(async (tx) => {
    for (const { id, lease } of claims) await releaseCallback(tx, id, lease, app.now());
  });
}

/** Sends one callback and has the outcome recorded. Never rejects: null where nothing was recorded. */
async function attempt(app: App, callback: Claim, recorder: Batcher<Attempt, Recorded>): Promise<Recorded | null> {
  const startedAt = app.now();
  if (startedAt > callback.claimedAt + START_WITHIN_MS) return null;
  try {
    const environment = await findEnvironmentById(app, callback.environment_id);
    if (environment === null) throw new Error('A callback of no environment');
    const outcome = await app.fetch({
      url: callback.url,
      method: 'POST',
      headers: callbackHeaders(environment, callback, startedAt),
      body: callback.body,
      allowPrivate: app.config.allowPrivateCallbacks && environment.environment === 'development',
    });
    return await recorder.submit({ callback, startedAt, outcome });
  } catch (error) {
    // The lease ends by itself and the callback is due again: at least once, also when the database is away.
    app.log.error({ err: error, callback: callback.id }, 'a delivery attempt could not be recorded');
    return null;
  }
}

/** What attempts found out is stored in groups, as they come in. */
function createRecorder(app: App): Batcher<Attempt, Recorded> {
  const recorder = createBatcher<Attempt, Recorded>({
    maxBatch: 256,
    maxQueued: 10_000,
    concurrency: 1,
    flush: async (attempts) => {
      const recorded = await app.db.transaction((tx) => recordAttempts(app, tx, attempts));
      for (const { step, stale } of recorded) app.metrics.deliveries.inc({ outcome: stale ? 'stale' : step });
      return recorded;
    },
  });
  return app.metrics.watchQueue('delivery-attempts', recorder);
}

async function recordAttempts(app: App, tx: Tx, attempts: readonly Attempt[]): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  await insertDeliveryAttempts(tx, attempts.map(attemptRow));
  for (const { callback, outcome } of attempts) {
    const now = app.now();
    const step = nextStep(callback.attempts + 1, outcome, app.random, now);
    const stillOurs = await updateCallback(tx, {
      id: callback.id,
      lease: callback.lease,
      state: STATE_AFTER[step.kind],
      nextAttemptAt: step.kind === 'retry' ? now + step.afterMs : now,
      finishedAt: step.kind === 'retry' ? null : now,
    });
    if (stillOurs && step.kind === 'disable') await disableEndpoint(tx, callback.endpoint_id, now);
    recorded.push({ step: step.kind, stale: !stillOurs });
  }
  return recorded;
}

const STATE_AFTER = { delivered: 'delivered', retry: 'queued', dead: 'dead', disable: 'disabled' } as const;

function attemptRow({ callback, startedAt, outcome }: Attempt): SqlRow {
  return {
    callback_id: callback.id,
    started_at: startedAt,
    duration_ms: outcome.durationMs,
    status: outcome.kind === 'answered' ? outcome.status : null,
    failure: outcome.kind === 'failed' ? `${outcome.reason}: ${outcome.detail}` : null,
    excerpt: outcome.kind === 'answered' ? outcome.excerpt : null,
  };
}
