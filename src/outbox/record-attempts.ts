import { maskCardNumbers } from '../../protocol/card-number.ts';
import type { App } from '../app.ts';
import type { SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { FetchOutcome } from '../lib/network/safe-fetch.ts';
import { hasArrived, STATE_AFTER } from './callback-state.ts';
import {
  disableEndpoint,
  selectWaking,
  updateFailing,
  updateIdle,
  updateRecovered,
  wakeCallbacks,
} from './endpoints/endpoint-queries.ts';
import {
  type ClaimedCallback,
  insertDeliveryAttempts,
  type Retry,
  selectReturned,
  updateEnded,
  updateRetried,
  updateTaken,
} from './outbox-queries.ts';
import { isRefusal, type NextStep, nextStep } from './retry-schedule.ts';

/** An attempt with its outcome and the next step. Times are UTC milliseconds. */
export type Attempt = {
  callback: ClaimedCallback;
  startedAt: number;
  endedAt: number;
  outcome: FetchOutcome;
  step: NextStep;
};

/** `nextAttemptAt` is meaningful only for the step `retry`. */
export type Outcome = { step: NextStep; nextAttemptAt: number };

/**
 * Records attempts, the new states of their callbacks, and whether the endpoints work. The first success after a
 * failure wakes an endpoint's waiting callbacks. Returns the outcomes by callback id, only for callbacks that this
 * worker still held; the others do not change, except those that a 410 disabled although the shop took them.
 *
 * Rows of endpoints are locked before rows of callbacks, by id. So a failure that is recorded during another process's
 * success either comes first and its callback is woken, or comes later and sees the recovery.
 */
export async function recordAttempts(app: App, tx: Tx, attempts: readonly Attempt[]): Promise<Map<number, Outcome>> {
  await insertDeliveryAttempts(tx, attempts.map(attemptRow));
  const returned = await findReturned(tx, attempts);
  const { waking, recoveredAt } = await noteEndpoints(tx, attempts, returned);
  const now = app.now();
  const outcomes = new Map<number, Outcome>();
  const groups = Map.groupBy(
    returned.size === 0 ? attempts : attempts.map((one) => supersede(one, returned)),
    changeKey,
  );
  for (const alike of groups.values()) {
    for (const outcome of await changeCallbacks(tx, alike, recoveredAt, now)) outcomes.set(...outcome);
  }
  for (const endpoint of waking) await wakeCallbacks(tx, endpoint, now);
  const handled = attempts.filter(({ step }) => ['redirected', 'unwanted'].includes(step.kind)).map(endpointOf);
  if (handled.length > 0) await updateIdle(tx, handled);
  return outcomes;
}

/** Returns an attempt with its outcome and the next step, by the schedule of its callback. */
export function withNextStep(
  { random }: App,
  callback: ClaimedCallback,
  outcome: FetchOutcome,
  { startedAt, endedAt }: Pick<Attempt, 'startedAt' | 'endedAt'>,
): Attempt {
  const attempt = callback.attempts + (isBeside(callback, startedAt) ? 0 : 1);
  const step = nextStep({ url: callback.url, attempt, outcome }, random, endedAt);
  return { callback, startedAt, endedAt, outcome, step };
}

/** Returns whether an attempt is outside the schedule of its callback, which then stays as it is. */
function isBeside({ scheduled_at }: ClaimedCallback, startedAt: number): boolean {
  return scheduled_at !== null && startedAt < scheduled_at;
}

/** Returns the rejected callbacks whose result the payer's browser had brought to the shop. */
async function findReturned(tx: Tx, attempts: readonly Attempt[]): Promise<Set<number>> {
  const refused = attempts.filter(({ outcome }) => isRefusal(outcome)).map(({ callback }) => callback);
  return new Set(refused.length === 0 ? [] : await selectReturned(tx, refused));
}

/** A final rejection needs no attention if the browser brought the result before. */
function supersede(attempt: Attempt, returned: ReadonlySet<number>): Attempt {
  const isSuperseded = attempt.step.kind === 'dead' && returned.has(attempt.callback.id);
  return isSuperseded ? { ...attempt, step: { kind: 'superseded' } } : attempt;
}

/**
 * Records how the attempts change their endpoints: which ones recovered, and when those that failed now last recovered.
 */
async function noteEndpoints(tx: Tx, attempts: readonly Attempt[], returned: ReadonlySet<number>) {
  const successes = new Map<number, Attempt>();
  const failures = new Map<number, Attempt>();
  for (const attempt of attempts) {
    if (attempt.step.kind === 'delivered') keepLast(successes, attempt);
    // A redirect may come from a log-in or a closed shop, so it wakes nothing. A rejection of a result that the browser
    // brought is not a failure of the endpoint.
    else if (attempt.step.kind !== 'redirected' && !returned.has(attempt.callback.id)) keepLast(failures, attempt);
  }
  const asleep = new Set(successes.size === 0 ? [] : await selectWaking(tx, [...successes.values()].map(endpointOf)));
  const waking: RowKey<number>[] = [];
  const recoveredAt = new Map<number, number>();
  for (const id of [...asleep.union(failures)].sort((one, other) => one - other)) {
    const success = asleep.has(id) ? successes.get(id) : undefined;
    if (success !== undefined && (await updateRecovered(tx, endpointOf(success), success.endedAt)))
      waking.push(endpointOf(success));
    const failure = failures.get(id);
    if (failure === undefined) continue;
    const { startedAt, endedAt } = failure;
    recoveredAt.set(
      id,
      (await updateFailing(tx, endpointOf(failure), { startedAt, endedAt, ...answerOf(failure) })) ?? 0,
    );
  }
  return { waking, recoveredAt };
}

function endpointOf({ callback }: Attempt): RowKey<number> {
  return { id: callback.endpoint_id, environment_id: callback.environment_id };
}

/** Keeps the attempt of each endpoint that started last. */
function keepLast(byEndpoint: Map<number, Attempt>, attempt: Attempt): void {
  const id = attempt.callback.endpoint_id;
  const last = byEndpoint.get(id);
  if (last === undefined || attempt.startedAt > last.startedAt) byEndpoint.set(id, attempt);
}

/** Groups callbacks of one lease and environment with the same step, so that one statement changes them. */
function changeKey({ callback, step }: Attempt): string {
  if (step.kind === 'disable') return `disable ${callback.id}`;
  return `${step.kind} ${callback.environment_id} ${callback.lease}`;
}

/** Changes callbacks with the same `changeKey`. `recoveredAt`: when each endpoint last recovered. */
async function changeCallbacks(
  tx: Tx,
  alike: readonly Attempt[],
  recoveredAt: ReadonlyMap<number, number>,
  now: number,
): Promise<[id: number, Outcome][]> {
  const [first] = alike as readonly [Attempt, ...Attempt[]];
  const { step } = first;
  const claimed = { environmentId: first.callback.environment_id, lease: first.callback.lease };
  if (step.kind === 'retry') {
    const retries = alike.map((one) => retryAfter(one, recoveredAt.get(one.callback.endpoint_id) ?? 0, now));
    const changed = new Set(await updateRetried(tx, { ...claimed, retries }));
    return alike.flatMap((one, at) => {
      const { id, nextAttemptAt } = retries[at] as Retry;
      return changed.has(id) ? [[id, { step: one.step, nextAttemptAt }]] : [];
    });
  }
  const ids = alike.map(({ callback }) => callback.id);
  const state = STATE_AFTER[step.kind];
  const changed = await updateEnded(tx, { ...claimed, ids }, state, now);
  if (hasArrived(state) && changed.length < ids.length) {
    const lost = { ids, environmentId: claimed.environmentId, since: Math.min(...alike.map((one) => one.startedAt)) };
    changed.push(...(await updateTaken(tx, lost, state, now)));
  }
  if (step.kind === 'disable' && changed.length > 0) await disableEndpoint(tx, endpointOf(first), now);
  return changed.map((id) => [id, { step, nextAttemptAt: now }]);
}

/** Returns the retry of an attempt whose step is `retry`. `recoveredAt`: when its endpoint last recovered. */
function retryAfter({ callback, startedAt, endedAt, step }: Attempt, recoveredAt: number, now: number): Retry {
  const { id, scheduled_at: scheduledAt } = callback;
  const { afterMs, askedMs } = step as Extract<NextStep, { kind: 'retry' }>;
  const notBefore = askedMs > 0 ? endedAt + askedMs : null;
  if (scheduledAt !== null && isBeside(callback, startedAt))
    return { id, notBefore, nextAttemptAt: Math.max(scheduledAt, notBefore ?? 0), scheduledAt, counts: 0 };
  const planned = endedAt + afterMs;
  if (recoveredAt <= startedAt) return { id, notBefore, nextAttemptAt: planned, scheduledAt: null, counts: 1 };
  // The endpoint recovered during this attempt, so the callback is due now.
  return { id, notBefore, nextAttemptAt: Math.max(now, notBefore ?? 0), scheduledAt: planned, counts: 1 };
}

function attemptRow(attempt: Attempt): SqlRow {
  const { callback, startedAt, outcome } = attempt;
  const { status, failure, location } = answerOf(attempt);
  const excerpt = outcome.kind === 'answered' ? maskCardNumbers(outcome.excerpt) : null;
  return {
    callback_id: callback.id,
    environment_id: callback.environment_id,
    started_at: startedAt,
    duration_ms: outcome.durationMs,
    status,
    failure,
    location,
    excerpt,
  };
}

function answerOf({ outcome }: Attempt): { status: number | null; failure: string | null; location: string | null } {
  if (outcome.kind === 'failed')
    return { status: null, failure: `${outcome.reason}: ${outcome.detail}`, location: null };
  return { status: outcome.status, failure: null, location: outcome.location ?? null };
}
