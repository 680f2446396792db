import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { worldTime } from '../lib/clock.ts';
import { randomToken } from '../lib/ids.ts';
import { allowsPrivate } from '../payment-services/callback-address.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { callbackHeaders } from './callback-headers.ts';
import {
  type Claim,
  createCallbackShares,
  type EndpointQueue,
  type HostShare,
  isFull,
  type LeftOut,
  NOTHING_LEFT_OUT,
  subjectOf,
} from './callback-shares.ts';
import { CALLBACK_LEASE_MS } from './callback-state.ts';
import { selectListened } from './listeners/callback-listener-queries.ts';
import { logAttempt } from './log-attempt.ts';
import {
  type ClaimedCallback,
  claimCallbacks,
  releaseCallbacks,
  releaseClaimedCallbacks,
  selectOldestDue,
} from './outbox-queries.ts';
import { type Attempt, recordAttempts, withNextStep } from './record-attempts.ts';
import { followReceiver, followsReceiver, stepForReceiver } from './webhooks/follow-receiver.ts';

/** A claimed callback that has not started after this time is left to the next claim. */
const START_WITHIN_MS = 40_000;
const CONCURRENT_PER_ENDPOINT = 4;
const CLAIMED_PER_ENDPOINT = 256;
const CLAIMED_AT_ONCE = 1024;
/**
 * How many are claimed at once if the backlog is spread over many endpoints: the query costs the same for few as for
 * many. Each claim takes twice the last one's at most, so that it ends before the last one's callbacks are sent.
 */
const CLAIMED_OF_MANY = 4096;
/** An endpoint with at most this many waiting callbacks may get more, so that a fast one never waits for a claim. */
const REFILLED_AT = 128;
/**
 * With more waiting callbacks than this, an endpoint gets more only when it has none left, and a full host gets none.
 * Otherwise there would be many small claims, and each would scan past all claimed callbacks. This worker would also
 * take a whole backlog of slow endpoints from the other workers, and most leases would expire. With half of it, fast
 * endpoints run out of callbacks while PostgreSQL makes the next claim.
 */
const CROWDED_ABOVE = CLAIMED_OF_MANY / 2;
/**
 * How many attempts are recorded together. Fewer only at a poll or when nothing is under way, because each commit is a
 * flush.
 */
const RECORDED_TOGETHER = 128;
/**
 * A search for callbacks of other endpoints scans past all that wait for endpoints with enough. If it finds none, it is
 * not repeated sooner than this, and never without the worker's pause.
 */
const LOOKED_PAST_EVERY_MS = 200;
/**
 * With this many endpoints that do not keep up, nothing more is claimed until one of their requests ends. A full host
 * counts by its requests, not by its endpoints: otherwise a slow shop with the order in the path of its URL would block
 * all others.
 */
const BUSY_ENDPOINTS = 200;

export type CallbackDelivery = {
  /** Claims due callbacks and starts sending them. Returns how many it claimed. */
  poll(): Promise<number>;
  /** Resolves when all claimed callbacks are sent and recorded. */
  settled(): Promise<void>;
  /** Releases callbacks that have not started and waits for those that have. */
  drain(): Promise<void>;
};

/**
 * The delivery engine: at-least-once delivery, a record of each attempt, a retry schedule per callback and a queue per
 * endpoint.
 *
 * It has no clock, socket or timer (`app.now`, `app.fetch`, and `poll` called from outside), so the same engine runs in
 * production and in the simulation of `test/faults`. `onRoom` is called when a poll would find callbacks that the last
 * one had to leave.
 */
export function createCallbackDelivery(app: App, onRoom: () => void = () => {}): CallbackDelivery {
  const queues = new Map<number, EndpointQueue>();
  const deliveries = new Set<Promise<void>>();
  const recorder = createRecorder(app);
  app.metrics.watchQueue('delivery-attempts', recorder);
  let draining = false;
  let limit = CLAIMED_AT_ONCE;
  /** The number of claimed callbacks that have not started. */
  let waiting = 0;
  /** When the last search for callbacks of other endpoints found none. */
  let lookedPastAt = Number.NEGATIVE_INFINITY;

  const beginOne = (queue: EndpointQueue): boolean => {
    const callback = draining ? null : takeNext(queue);
    if (callback === null) return false;
    waiting--;
    queue.sending.add(subjectOf(callback));
    const done = deliver(callback, queue).finally(() => deliveries.delete(done));
    deliveries.add(done);
    return true;
  };
  const shares = createCallbackShares(beginOne);

  // The next request starts when this one ends, not when it is recorded: a disk is slower than many merchants.
  const deliver = async (callback: Claim, queue: EndpointQueue) => {
    const attempt = await send(app, callback);
    if (attempt !== null) recorder.add(attempt);
    const dropped = attempt?.step.kind === 'disable' ? await emptyGone(queue, recorder) : 0;
    waiting -= dropped;
    queue.sending.delete(subjectOf(callback));
    shares.ended(queue);
    if (queue.more && hasRoom(queue, waiting > CROWDED_ABOVE)) onRoom();
    if (queue.sending.size === 0 && queue.waiting.length === 0) {
      queues.delete(queue.endpointId);
      shares.remove(queue);
    }
    if (queues.size === 0) void recorder.flush();
  };

  const poll = async () => {
    void recorder.flush();
    const crowded = waiting > CROWDED_ABOVE;
    const full = shares.leftOut();
    const { enough, excluded, slow } = findSupplied(queues, crowded);
    const isPast = queues.size > 0 && enough.size === queues.size;
    // `abs`, so that setting the clock back also ends the wait.
    if (isPast && Math.abs(app.now() - lookedPastAt) < LOOKED_PAST_EVERY_MS) return 0;
    if (slow + full.sending / CONCURRENT_PER_ENDPOINT >= BUSY_ENDPOINTS) await Promise.race(deliveries);
    const claims = await claim(app, excluded, crowded ? full : NOTHING_LEFT_OUT, limit);
    if (isPast && claims.length === 0) lookedPastAt = app.now();
    limit = addClaims(queues, claims, enough, limit, shares.hostOf);
    waiting += claims.length;
    shares.begin(queues.values());
    return claims.length;
  };

  const settled = async () => {
    while (deliveries.size > 0) await Promise.all(deliveries);
    await recorder.flush();
  };

  const drain = async () => {
    draining = true;
    const unsent = [...queues.values()].flatMap((queue) => queue.waiting.splice(0));
    await release(app, unsent);
    await settled();
  };

  return { poll, settled, drain };
}

/** Drops the waiting callbacks of an endpoint that is gone. Returns how many. */
async function emptyGone(queue: EndpointQueue, recorder: Recorder): Promise<number> {
  queue.gone = true;
  await recorder.flush();
  queue.gone = false;
  // They are now `disabled` in the store, by this worker or another.
  return queue.waiting.splice(0).length;
}

type FindHost = (environmentId: number, url: string) => HostShare;

/**
 * Returns the queues that get no more callbacks now, and the endpoints that a claim excludes by id. If enough callbacks
 * wait, full hosts are excluded as a whole instead. `slow`: how many of these endpoints do not belong to a full host.
 */
function findSupplied(queues: ReadonlyMap<number, EndpointQueue>, crowded: boolean) {
  const enough = new Set([...queues.values()].filter((queue) => !hasRoom(queue, crowded)));
  const named = [...enough].filter(({ host }) => !(crowded && isFull(host)));
  const slow = named.filter(({ host }) => !isFull(host)).length;
  return { enough, excluded: named.map(({ endpointId }) => endpointId), slow };
}

/** Adds claimed callbacks to their queues. Returns how many to claim next time. */
function addClaims(
  queues: Map<number, EndpointQueue>,
  claims: readonly Claim[],
  enough: ReadonlySet<EndpointQueue>,
  limit: number,
  hostOf: FindHost,
): number {
  const claimed = Map.groupBy(claims, (callback) => callback.endpoint_id);
  // There may be more callbacks; only an endpoint with its full share can hide other endpoints' callbacks.
  const spread = claims.length === limit;
  const hidden = claimed.values().some((share) => share.length === CLAIMED_PER_ENDPOINT);
  for (const [endpointId, callbacks] of claimed) {
    const queue = queues.get(endpointId) ?? newQueue(endpointId, callbacks[0] as Claim, hostOf);
    queues.set(endpointId, queue);
    queue.waiting.push(...callbacks);
  }
  for (const queue of queues.values()) {
    if (!enough.has(queue)) queue.more = (spread || hidden) && claimed.has(queue.endpointId);
  }
  if (spread) return Math.min(2 * limit, CLAIMED_OF_MANY);
  return hidden ? CLAIMED_AT_ONCE : limit;
}

function newQueue(endpointId: number, { environment_id: environmentId, url }: Claim, hostOf: FindHost): EndpointQueue {
  const host = hostOf(environmentId, url);
  return { endpointId, environmentId, host, waiting: [], sending: new Set(), more: false, gone: false };
}

/** Returns the first waiting callback whose transaction or payout has none under way. */
function takeNext({ waiting, sending, gone }: EndpointQueue): Claim | null {
  if (gone || sending.size === CONCURRENT_PER_ENDPOINT) return null;
  const [first] = waiting;
  if (first === undefined || !sending.has(subjectOf(first))) return waiting.shift() ?? null;
  const at = waiting.findIndex((callback) => !sending.has(subjectOf(callback)));
  return at < 0 ? null : (waiting.splice(at, 1)[0] as Claim);
}

/** Returns whether to claim more for this endpoint now: also for a full host, unless enough callbacks wait. */
function hasRoom({ host, waiting, sending, more, gone }: EndpointQueue, crowded: boolean): boolean {
  if (gone || (crowded && isFull(host))) return false;
  if (more && !crowded) return waiting.length <= REFILLED_AT;
  return waiting.length === 0 && sending.size < CONCURRENT_PER_ENDPOINT;
}

async function claim(app: App, excluded: readonly number[], full: LeftOut, limit: number): Promise<Claim[]> {
  const now = app.now();
  // Most polls find nothing; these cost a read, not a commit.
  const oldest = await selectOldestDue(app.db);
  app.metrics.callbacksLateSeconds.set(oldest === null ? 0 : Math.max(0, now - oldest) / 1000);
  if (oldest === null || oldest > now) return [];
  const claims = await app.db.transaction(async (tx) =>
    claimCallbacks(tx, {
      lease: randomToken(12),
      now,
      until: now + CALLBACK_LEASE_MS,
      perEndpoint: CLAIMED_PER_ENDPOINT,
      limit,
      excluded: {
        endpoints: excluded,
        // A listener gets the callbacks of its environment.
        environments: [...full.environments, ...(await selectListened(tx, now))],
        hosts: full.hosts,
      },
    }),
  );
  // `returning` does not guarantee an order.
  return claims.map((row) => Object.assign(row, { claimedAt: now })).sort((one, other) => one.id - other.id);
}

/** Releases claims by environment: if one payment service has moved, the claims of the others are still released. */
async function release(app: App, claims: readonly Claim[]): Promise<void> {
  for (const some of Map.groupBy(claims, ({ environment_id }) => environment_id).values()) {
    const released = app.db.transaction(async (tx) => {
      for (const [lease, claimed] of Map.groupBy(some, (callback) => callback.lease)) {
        await releaseCallbacks(tx, claimed, lease, app.now());
      }
    });
    await released.catch((error: unknown) => app.log.warn({ err: error }, 'callbacks wait for the end of their lease'));
  }
}

/** Sends one callback. Never rejects; returns null if nothing was sent or the result is lost. */
async function send(app: App, callback: Claim): Promise<Attempt | null> {
  const startedAt = app.now();
  if (startedAt > callback.claimedAt + START_WITHIN_MS) return null;
  try {
    const environment = await environmentOf(app, callback);
    if (followsReceiver(callback) && !(await followReceiver(app, callback))) return null;
    const outcome = await app.fetch({
      url: callback.url,
      method: 'POST',
      headers: callbackHeaders(environment, callback, worldTime(app.now)),
      body: callback.body,
      allowPrivate: allowsPrivate(app, environment.environment),
      merchant: callback.environment_id,
    });
    const attempt = withNextStep(app, callback, outcome, { startedAt, endedAt: app.now() });
    return { ...attempt, step: await stepForReceiver(app.db, callback, attempt.step) };
  } catch (error) {
    logUnrecorded(app, callback, error);
    return null;
  }
}

/**
 * Logs a lost result. The lease expires and the callback is due again, even if the database is down: delivery is at
 * least once.
 */
function logUnrecorded(app: App, callback: ClaimedCallback, error: unknown): void {
  app.log.error({ err: error, callback: callback.id }, 'a delivery attempt could not be recorded');
}

type Recorder = {
  add(attempt: Attempt): void;
  /** Resolves when all added attempts are recorded or left to the end of their lease. */
  flush(): Promise<void>;
  depth(): number;
};

/** Records attempts in groups, one group after the other. */
function createRecorder(app: App): Recorder {
  const unrecorded: Attempt[] = [];
  let last = Promise.resolve();
  const record = async (attempts: readonly Attempt[]): Promise<void> => {
    if (attempts.length === 0) return;
    try {
      const outcomes = await app.db.transaction((tx) => recordAttempts(app, tx, attempts));
      for (const attempt of attempts) {
        const outcome = outcomes.get(attempt.callback.id) ?? null;
        app.metrics.deliveries.inc({ outcome: outcome?.step.kind ?? 'stale' });
        if (outcome?.step.kind !== 'delivered') logAttempt(app, attempt, outcome);
      }
    } catch (error) {
      const parts = [...Map.groupBy(attempts, ({ callback }) => callback.environment_id).values()];
      const isMoving = error instanceof StorageError && error.code === 'PAYMENT_SERVICE_MOVING';
      // One payment service has moved meanwhile; the attempts of the others are still recorded.
      if (isMoving && parts.length > 1) for (const part of parts) await record(part);
      else for (const { callback } of attempts) logUnrecorded(app, callback, error);
    }
  };
  const flush = () => {
    last = last.then(() => record(unrecorded.splice(0)));
    return last;
  };
  return {
    add: (attempt) => {
      unrecorded.push(attempt);
      if (unrecorded.length === RECORDED_TOGETHER) void flush();
    },
    flush,
    depth: () => unrecorded.length,
  };
}

/** Makes all claimed callbacks due at once. Only for when no worker can still be sending them. */
export async function releaseClaims(app: App): Promise<void> {
  await app.db.transaction((tx) => releaseClaimedCallbacks(tx, app.now()));
}
