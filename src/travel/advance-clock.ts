import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { deleteOldValidations } from '../bank-validation/delete-old-validations.ts';
import { settleDueValidations } from '../bank-validation/holder/settle-validations.ts';
import { lookUpPayments } from '../checkout/look-up-payments.ts';
import { raiseClockAhead, selectClockAhead, updateClockAhead } from '../epochs/epoch-queries.ts';
import { deleteOldCallbacks } from '../outbox/delete-old-callbacks.ts';
import { createCallbackDelivery } from '../outbox/deliver-callbacks.ts';
import { countListened, deleteListeners, extendListeners } from '../outbox/listeners/callback-listener-queries.ts';
import { carryOutPayouts } from '../payouts/carry-out-payouts.ts';
import { carryOutRefunds } from '../refunds/carry-out-refunds.ts';
import { expireTransactions } from '../transactions/expire-transactions.ts';
import {
  selectAttemptTraces,
  selectDeliveryTraces,
  selectEventTraces,
  selectNextDue,
  selectSecretTraces,
  selectWindowTraces,
  type Trace,
} from './travel-queries.ts';

/** Something that happened, and how often at about the same time. `transactions` lists the first few. */
export type Happening = { at: number; what: string; count: number; transactions: readonly number[] };

export type Travel = { from: number; to: number; aheadMs: number; happened: readonly Happening[] };

/** Another command has changed the clock of the store. */
export class ClockChanged extends Error {}

const BATCH = 100;
const DAY_MS = 86_400_000;
/** Rows due within a tenth of the wait are processed together, because the waits of callbacks vary by up to a tenth. */
const TOGETHER = 0.1;
const LEAST_TOGETHER_MS = 1_000;
const TOLD_EVERY_MS = 1_000;
const LOOK_EVERY_MS = 100;
/** The most transactions that a happening lists. */
const NAMED = 5;

/**
 * Sets the clock of a development installation ahead by `byMs`, and processes in order what becomes due meanwhile:
 * expiries, look-ups, refunds, payouts, validations, callbacks and their retries. Finally deletes what is past its
 * retention. Returns a list of all that happened. `onDone` is told from time to time how much was carried out, and how
 * many callbacks it now waits for: a shop that answers slowly gets four at a time, and one that never answers takes 15
 * s for each attempt.
 *
 * Each time is stored before anything happens at it, so no record is ever ahead of the clock, even after a crash.
 * Throws `ClockChanged` if another command changes the clock meanwhile.
 */
export async function advanceClock(
  app: App,
  byMs: number,
  by: Actor,
  onDone: (total: number, awaited: number) => void = () => {},
): Promise<Travel> {
  const from = app.now();
  const before = await selectClockAhead(app.db);
  const aheadMs = before + byMs;
  await app.db.transaction(async (tx) => {
    const said = { before: { ahead_ms: before }, after: { ahead_ms: aheadMs } };
    await recordAudit(tx, { at: from, by, action: 'clock.advanced', subject: { kind: 'store', id: '' }, ...said });
  });
  const steps = [from];
  let [at, done] = [before, 0];
  const tell = (found: number, awaited: number) => onDone((done += found), awaited);
  await doDue(app, tell);
  for (let due = await selectNextDue(app.db, app.now()); due !== null; due = await selectNextDue(app.db, app.now())) {
    const wait = due - app.now();
    const ahead = (app.now.ahead?.() ?? 0) + wait + Math.max(LEAST_TOGETHER_MS, Math.round(wait * TOGETHER));
    if (ahead >= aheadMs) break;
    at = await moveTo(app, at, ahead);
    steps.push(app.now());
    await doDue(app, tell);
  }
  await moveTo(app, at, aheadMs);
  steps.push(app.now());
  await doDue(app, tell);
  const span = { from: from - 1, to: app.now() };
  const happened = gather(await tracesOf(app, span), steps);
  return { from, to: span.to, aheadMs, happened: [...happened, ...(await forget(app))] };
}

async function moveTo(app: App, before: number, aheadMs: number): Promise<number> {
  await app.db.transaction(async (tx) => {
    if (!(await raiseClockAhead(tx, before, aheadMs))) throw new ClockChanged();
    await extendListeners(tx, app.now(), aheadMs - before);
  });
  app.now.travel?.(aheadMs);
  return aheadMs;
}

/** Processes all due rows, as the worker does, until no more are due. */
async function doDue(app: App, tell: (found: number, awaited: number) => void): Promise<void> {
  const delivery = createCallbackDelivery(app);
  for (let found = 1; found > 0; ) {
    found = await lookUpPayments(app, BATCH);
    found += await carryOutRefunds(app, BATCH);
    found += await carryOutPayouts(app, BATCH);
    found += await expireTransactions(app, BATCH);
    found += await settleDueValidations(app, BATCH);
    const awaited = await delivery.poll();
    const waiting = setInterval(tell, TOLD_EVERY_MS, 0, awaited);
    await delivery.settled().finally(() => clearInterval(waiting));
    found += awaited + (await awaitListeners(app, tell));
    tell(found, 0);
  }
}

/** Waits while listeners forward the callbacks that are due. Returns how many callbacks it waited for. */
async function awaitListeners(app: App, tell: (found: number, awaited: number) => void): Promise<number> {
  let most = 0;
  for (let due = await countListened(app.db, app.now()); due > 0; due = await countListened(app.db, app.now())) {
    most = Math.max(most, due);
    tell(0, due);
    await sleep(LOOK_EVERY_MS);
  }
  return most;
}

async function tracesOf(app: App, span: { from: number; to: number }): Promise<Trace[]> {
  const windows = app.paymentMethods.map(({ refunds }) => (refunds?.windowDays ?? 0) * DAY_MS);
  const traces = await Promise.all([
    selectEventTraces(app.db, span),
    selectAttemptTraces(app.db, span),
    selectDeliveryTraces(app.db, span),
    selectSecretTraces(app.db, span),
    // The methods of this service have the same window. With several, the longest ends last.
    selectWindowTraces(app.db, span, Math.max(...windows)),
  ]);
  return traces.flat();
}

/** Groups happenings of one kind at one stop of the clock. `steps` are in order. */
export function gather(traces: readonly Trace[], steps: readonly number[]): Happening[] {
  const groups = Map.groupBy(traces, ({ at, what }) => `${steps.findLastIndex((step) => step <= at)} ${what}`);
  return [...groups.values()]
    .map((group) => ({
      at: Math.min(...group.map(({ at }) => at)),
      what: group[0]?.what ?? '',
      count: group.length,
      transactions: [...new Set(group.flatMap(({ subject }) => (subject === null ? [] : [subject])))]
        .sort((one, other) => one - other)
        .slice(0, NAMED),
    }))
    .sort((one, other) => one.at - other.at);
}

/** Deletes old callbacks and validations, and counts them. The service itself cuts events once they are read. */
async function forget(app: App): Promise<Happening[]> {
  const done: Happening[] = [];
  const kinds = [
    ['old callbacks and delivery attempts deleted', deleteOldCallbacks],
    ['old validations deleted', deleteOldValidations],
  ] as const;
  for (const [what, remove] of kinds) {
    let count = 0;
    for (let removed = await remove(app, BATCH); removed > 0; removed = await remove(app, BATCH)) count += removed;
    if (count > 0) done.push({ at: app.now(), what, count, transactions: [] });
  }
  return done;
}

/** Sets the clock back to the real time. Records keep their times. Running services stop and must be started again. */
export async function resetClock(app: App, by: Actor): Promise<void> {
  await app.db.transaction(async (tx) => {
    const before = { ahead_ms: await selectClockAhead(tx) };
    await updateClockAhead(tx, 0);
    await deleteListeners(tx);
    await recordAudit(tx, { at: app.now(), by, action: 'clock.reset', subject: { kind: 'store', id: '' }, before });
  });
}
