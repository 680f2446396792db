import { maskCardNumbers } from '../../protocol/card-number.ts';
import type { App } from '../app.ts';
import type { SqlRow, Tx } from '../db/database.ts';
import type { RowKey } from '../db/row-key.ts';
import type { FetchOutcome } from '../lib/safe-fetch.ts';
import { STATE_AFTER } from './callback-state.ts';
import {
  disableEndpoint,
  selectWaking,
  updateFailing,
  updateIdle,
  updateRecovered,
  wakeCallbacks,
} from './endpoint-queries.ts';
import {
  type ClaimedCallback,
  insertDeliveryAttempts,
  type Retry,
  selectReturned,
  updateEnded,
  updateRetried,
} from './outbox-queries.ts';
import { isRefusal, type NextStep, nextStep } from './retry-schedule.ts';

/** An attempt with what was sent, and what follows from the answer. Times are UTC milliseconds. */
export type Attempt = {
  callback: ClaimedCallback;
  startedAt: number;
  endedAt: number;
  outcome: FetchOutcome;
  step: NextStep;
};

/** `nextAttemptAt` says something of a step `retry` only. */
export type Outcome = { step: NextStep; nextAttemptAt: number };

/**
 * Records what was sent, what becomes of each callback, and whether its endpoint works: the first success at one that failed
 * makes due what waits for it. Answers what became of the callbacks that were still this worker's, by their ids; nothing was
 * changed of the others.
 *
 * The rows of endpoints are locked before the rows of callbacks and in the order of their ids. A failure that is recorded while
 * another process records a success comes either before it, and is made due by it, or after it, and sees it.
 */
export async function recordAttempts(app: App, tx: Tx, attempts: readonly Attempt[]): Promise<Map<number, Outcome>> {
  await insertDeliveryAttempts(tx, attempts.map(attemptRow));
  const returned = await findReturned(tx, attempts);
  const { waking, recoveredAt } = await noteEndpoints(tx, attempts, returned);
  const now = app.now();
  const outcomes = new Map<number, Outcome>();
  const groups = Map.groupBy(returned.size === 0 ? attempts : attempts.map((one) => forgive(one, returned)), changeKey);
  for (const alike of groups.values()) {
    for (const outcome of await changeCallbacks(tx, alike, recoveredAt, now)) outcomes.set(...outcome);
  }
  for (const endpoint of waking) await wakeCallbacks(tx, endpoint, now);
  const handled = attempts.filter(({ step }) => step.kind === 'redirected').map(endpointOf);
  if (handled.length > 0) await updateIdle(tx, handled);
  return outcomes;
}

/** Decides what follows from an answer, by the schedule of the callback. */
export function weighAttempt(
  { random }: App,
  callback: ClaimedCallback,
  outcome: FetchOutcome,
  { startedAt, endedAt }: Pick<Attempt, 'startedAt' | 'endedAt'>,
): Attempt {
  const attempt = callback.attempts + (isBeside(callback, startedAt) ? 0 : 1);
  const step = nextStep({ url: callback.url, attempt, outcome }, random, endedAt);
  return { callback, startedAt, endedAt, outcome, step };
}

/** Whether an attempt is one beside the schedule of its callback, which it leaves as it is. */
function isBeside({ scheduled_at }: ClaimedCallback, startedAt: number): boolean {
  return scheduled_at !== null && startedAt < scheduled_at;
}

/** The callbacks that were refused though, or because, the payer's browser had brought the shop the same result. */
async function findReturned(tx: Tx, attempts: readonly Attempt[]): Promise<Set<number>> {
  const refused = attempts.filter(({ outcome }) => isRefusal(outcome)).map(({ callback }) => callback);
  return new Set(refused.length === 0 ? [] : await selectReturned(tx, refused));
}

/** A shop that refuses for good what the browser has brought to it needs nobody. */
function forgive(attempt: Attempt, returned: ReadonlySet<number>): Attempt {
  const isSuperseded = attempt.step.kind === 'dead' && returned.has(attempt.callback.id);
  return isSuperseded ? { ...attempt, step: { kind: 'superseded' } } : attempt;
}

/** Notes how the attempts change their endpoints: which answer again, and since when those do that failed now. */
async function noteEndpoints(tx: Tx, attempts: readonly Attempt[], returned: ReadonlySet<number>) {
  const successes = new Map<number, Attempt>();
  const failures = new Map<number, Attempt>();
  for (const attempt of attempts) {
    if (attempt.step.kind === 'delivered') keepLast(successes, attempt);
    // A redirect is the answer of a log-in or of a closed shop too, so it wakes nothing; a refusal of what the browser has
    // brought says nothing against the endpoint.
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

/** Of each endpoint the attempt that began last. */
function keepLast(byEndpoint: Map<number, Attempt>, attempt: Attempt): void {
  const id = attempt.callback.endpoint_id;
  const last = byEndpoint.get(id);
  if (last === undefined || attempt.startedAt > last.startedAt) byEndpoint.set(id, attempt);
}

/** Callbacks of one claim and one environment that have come to the same end, or are all tried again, change in one statement. */
function changeKey({ callback, step }: Attempt): string {
  if (step.kind === 'disable') return `disable ${callback.id}`;
  return `${step.kind} ${callback.environment_id} ${callback.lease}`;
}

/** Changes callbacks with one `changeKey`. `recoveredAt`: when endpoints last began to answer again. */
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
  const changed = await updateEnded(tx, { ...claimed, ids }, STATE_AFTER[step.kind], now);
  if (step.kind === 'disable' && changed.length > 0) await disableEndpoint(tx, endpointOf(first), now);
  return changed.map((id) => [id, { step, nextAttemptAt: now }]);
}

/** After an attempt whose step is `retry`. `recoveredAt`: when its endpoint last began to answer again. */
function retryAfter({ callback, startedAt, endedAt, step }: Attempt, recoveredAt: number, now: number): Retry {
  const { id, scheduled_at: scheduledAt } = callback;
  const { afterMs, askedMs } = step as Extract<NextStep, { kind: 'retry' }>;
  const notBefore = askedMs > 0 ? endedAt + askedMs : null;
  if (scheduledAt !== null && isBeside(callback, startedAt))
    return { id, notBefore, nextAttemptAt: Math.max(scheduledAt, notBefore ?? 0), scheduledAt, counts: 0 };
  const planned = endedAt + afterMs;
  if (recoveredAt <= startedAt) return { id, notBefore, nextAttemptAt: planned, scheduledAt: null, counts: 1 };
  // The success that makes due what waits was recorded while this one was under way.
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
