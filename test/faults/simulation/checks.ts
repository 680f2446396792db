import type { SqlRow } from '../../../src/db/database.ts';
import type { FetchOutcome } from '../../../src/lib/network/safe-fetch.ts';
import { retrySchedule } from '../../../src/outbox/retry-schedule.ts';
import type { Attempt } from './courier.ts';
import type { Life, Mishap } from './life.ts';
import type { Merchant } from './merchant.ts';
import type { Order } from './shop.ts';

/** Everything known at the end of a seed: the observations on the wire, and the content of the store. */
export type Evidence = {
  orders: readonly Order[];
  merchants: readonly Merchant[];
  attempts: readonly Attempt[];
  lives: readonly Life[];
  /** The callbacks that an operator resent, and when. */
  resends: readonly { id: string; at: number }[];
  transactions: readonly TransactionRow[];
  callbacks: readonly CallbackRow[];
  /** The time when the faults ended. */
  quietFrom: number;
  /** Changes of closed callbacks other than an operator's resend. */
  reopened: readonly SqlRow[];
};

export type TransactionRow = SqlRow & {
  id: number;
  reference: string;
  state: string;
  last_sequence: number;
  events: number;
};

export type CallbackRow = SqlRow & {
  transaction_id: number;
  sequence: number;
  state: string;
  webhook_id: string;
  created_at: number;
  url: string;
};

/**
 * Returns a line for each violation of an invariant that holds under every fault; an empty list means that the engine
 * is correct.
 */
export function checkEvidence(evidence: Evidence): string[] {
  return [
    ...checkOrders(evidence),
    ...checkOutbox(evidence),
    ...checkDelivered(evidence),
    ...checkRepeats(evidence),
    ...checkLastWord(evidence),
    ...checkPromptness(evidence),
    ...checkDisabled(evidence),
    ...checkSameness(evidence),
    ...checkAmount(evidence),
    ...checkConcurrency(evidence),
    ...checkGivenUp(evidence),
    ...checkWaking(evidence),
    ...checkSchedule(evidence),
  ];
}

/** The longest time that a claim can keep a callback from other workers; equals `LEASE_MS` in the engine. */
const LEASE_MS = 60_000;

/** Every order exists once, under the acknowledged id, and has ended. */
function checkOrders({ orders, transactions }: Evidence): string[] {
  const byReference = Map.groupBy(transactions, (row) => row.reference);
  return orders.flatMap(({ reference, id, complaint }) => {
    const rows = byReference.get(reference) ?? [];
    if (complaint !== null) return [`I0 ${reference} ${complaint}`];
    if (rows.length !== 1 || rows[0]?.id !== id)
      return [`I0 ${reference} was acknowledged as ${id} and is stored ${rows.length} times, first as ${rows[0]?.id}`];
    return rows[0]?.state === 'pending' ? [`I0 ${reference} has come to no end`] : [];
  });
}

/** I2: a transaction that has ended has its events without gaps, and exactly one callback. */
function checkOutbox({ transactions, callbacks }: Evidence): string[] {
  const byTransaction = Map.groupBy(callbacks, (row) => row.transaction_id);
  return transactions.flatMap(({ id, state, last_sequence: last, events }) => {
    const count = byTransaction.get(id)?.length ?? 0;
    if (events !== last) return [`I2 ${id} has ${events} events up to number ${last}`];
    return state !== 'pending' && count !== 1 ? [`I2 ${id} is ${state} and has ${count} callbacks`] : [];
  });
}

/**
 * I1: everything was delivered and closed, except at a merchant that is gone for good or that refuses a repeated
 * callback.
 */
function checkDelivered(evidence: Evidence): string[] {
  return evidence.callbacks.flatMap(({ webhook_id: id, state, url }) => {
    const merchant = merchantOf(evidence, url);
    const took = merchant.taken.has(id);
    if (merchant.goneForGood())
      return state === 'queued' ? [`I1 ${id} still waits for ${merchant.name}, which is gone`] : [];
    if (state === 'redirected' && merchant.temper === 'handing on') return took ? [] : [`I1 ${id} never came`];
    if (state === 'delivered') return took ? [] : [`I1 ${id} is closed and ${merchant.name} never had it`];
    if (state === 'dead' && took && merchant.temper === 'once') return [];
    return [`I1 ${id} is ${state} for ${merchant.name} (${merchant.temper})`];
  });
}

/** I3 and I6: a closed callback stays closed, and an attempt comes no sooner than the one before it allows. */
function checkRepeats(evidence: Evidence): string[] {
  const { attempts, reopened, resends } = evidence;
  const problems = reopened.map((row) => `I3 ${row.webhook_id} was ${row.before} and became ${row.after}`);
  for (const [id, list] of Map.groupBy(attempts, (attempt) => attempt.id)) {
    for (let at = 1; at < list.length; at++) {
      const [first, second] = [list[at - 1] as Attempt, list[at] as Attempt];
      const explained =
        isTroubled(first.life, first.startedAt - LEASE_MS, second.startedAt) ||
        isTroubled(second.life, first.startedAt - LEASE_MS, second.startedAt) ||
        resends.some((resend) => resend.id === id && resend.at >= first.startedAt && resend.at <= second.startedAt);
      const problem = explained ? null : repeatProblem(evidence, list.slice(0, at), second);
      if (problem !== null) problems.push(`${problem} (${id}, attempt ${at + 1} by ${second.life.name})`);
    }
  }
  return problems;
}

/** A success is recorded up to this long after it ends, and reschedules callbacks that have failed since. */
const RECORDING_MS = 500;

function repeatProblem(evidence: Evidence, before: readonly Attempt[], second: Attempt): string | null {
  const first = before.at(-1) as Attempt;
  const { outcome, endedAt } = first;
  if (outcome === null || endedAt === null || endedAt > second.startedAt) return 'I6 two attempts at once';
  if (isTaken(outcome)) return 'I3 sent again after a success';
  const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, endedAt) : 0;
  if (second.startedAt - endedAt < 0.8 * asked) return `I6 after ${second.startedAt - endedAt} ms instead of ${asked}`;
  const woken = evidence.attempts.some(
    (one) =>
      one.merchant === second.merchant &&
      isSuccess(one) &&
      isWithin(one.endedAt, first.startedAt - RECORDING_MS, second.startedAt),
  );
  if (woken) return null;
  // An attempt outside the schedule leaves the number of attempts unchanged.
  const counted = before.findLast(({ row }) => (row?.attempts ?? 0) < (second.row?.attempts ?? 0)) ?? first;
  const waited = second.startedAt - (counted.endedAt ?? counted.startedAt);
  const least = 0.8 * (retrySchedule[second.row?.attempts ?? 0] ?? 0);
  return waited < least ? `I6 after ${waited} ms instead of ${least}` : null;
}

function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  return /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
}

/** I4: the last state that the merchant received equals the state in the store. */
function checkLastWord(evidence: Evidence): string[] {
  const transactions = new Map(evidence.transactions.map((row) => [row.id, row]));
  return evidence.callbacks.flatMap(({ transaction_id: id, url }) => {
    const merchant = merchantOf(evidence, url);
    const said = merchant.lastSaid.get(String(id));
    if (said === undefined && merchant.temper === 'gone') return [];
    const state = transactions.get(id)?.state === 'completed' ? 'completed' : 'failed';
    return said?.result === state ? [] : [`I4 ${id} is ${state} and ${merchant.name} heard ${said?.result}`];
  });
}

/** I5: the first attempt starts within five seconds, plus the duration and one lease for each fault in between. */
function checkPromptness(evidence: Evidence): string[] {
  const firsts = new Map<string, Attempt>();
  for (const attempt of evidence.attempts) if (!firsts.has(attempt.id)) firsts.set(attempt.id, attempt);
  return evidence.callbacks.flatMap(({ webhook_id: id, created_at: created, url }) => {
    if (['hanging', 'gone'].includes(merchantOf(evidence, url).temper)) return [];
    const first = firsts.get(id);
    if (first === undefined) return [`I5 ${id} was never tried`];
    const troubles = evidence.lives.flatMap((life) => troublesOf(life, created - LEASE_MS, first.startedAt));
    const allowed = troubles.reduce((sum, { from, to }) => sum + LEASE_MS + to - from, 5_000);
    const delay = first.startedAt - created;
    return delay > allowed ? [`I5 ${id} was first tried after ${delay} ms, ${allowed} allowed`] : [];
  });
}

/**
 * I7: a merchant that answered 410 gets no further request: from the worker that received it at once, from all others
 * soon, until an operator resends.
 */
function checkDisabled({ attempts, callbacks, resends }: Evidence): string[] {
  const merchants = Map.groupBy(attempts, (attempt) => attempt.merchant);
  return [...merchants].flatMap(([merchant, list]) => {
    const enabledAt = resends
      .filter(({ id }) => callbacks.some((row) => row.webhook_id === id && row.url.startsWith(merchant.url)))
      .map(({ at }) => at);
    const heard = list.filter((one) => isGone(one) && !isTroubled(one.life, one.startedAt, (one.endedAt ?? 0) + 1_000));
    const sentAgain = (one: Attempt, gone: Attempt) => {
      const since = one.startedAt - (gone.endedAt as number);
      if (since < (one.life === gone.life ? 1_000 : LEASE_MS)) return false;
      return !enabledAt.some((at) => at >= gone.startedAt && at <= one.startedAt);
    };
    return list
      .filter((one) => !isTroubled(one.life, one.startedAt - 2 * LEASE_MS, one.startedAt))
      .filter((one) => heard.some((gone) => sentAgain(one, gone)))
      .map((one) => `I7 ${one.id} was sent to ${merchant.name} by ${one.life.name} after it had said 410`);
  });
}

/** I8: an event has the same body in every attempt. */
function checkSameness({ merchants }: Evidence): string[] {
  return merchants.flatMap((merchant) => merchant.changed.map((id) => `I8 ${id} had two bodies`));
}

/** I9: a callback has no more attempts than its schedule and the faults explain. */
function checkAmount({ attempts, lives, resends }: Evidence): string[] {
  const troubles = lives.reduce((sum, life) => sum + life.troubles.length, 0);
  return [...Map.groupBy(attempts, (attempt) => attempt.id)].flatMap(([id, list]) => {
    const rounds = 1 + resends.filter((resend) => resend.id === id).length;
    // One attempt for each step of the schedule, and one between two steps because the endpoint responded again.
    const most = rounds * 2 * retrySchedule.length + troubles;
    return list.length > most ? [`I9 ${id} was tried ${list.length} times`] : [];
  });
}

/** I10: a worker never has more than four concurrent requests to one merchant. */
function checkConcurrency({ attempts }: Evidence): string[] {
  const groups = Map.groupBy(attempts, ({ life, merchant }) => `${life.name} at ${merchant.name}`);
  return [...groups].flatMap(([who, list]) => {
    const moments = list
      .flatMap(({ startedAt, endedAt }) => (endedAt === null ? [] : [[startedAt, 1] as const, [endedAt, -1] as const]))
      .sort(([one, up], [other, down]) => one - other || up - down);
    let most = 0;
    let now = 0;
    for (const [, change] of moments) most = Math.max(most, (now += change));
    return most > 4 ? [`I10 ${who} had ${most} requests under way`] : [];
  });
}

/** I11: no callback is given up within an hour, except by a merchant that refuses it or is gone. */
function checkGivenUp({ callbacks, merchants, resends }: Evidence): string[] {
  const resent = new Set(resends.map(({ id }) => id));
  return callbacks.flatMap(({ webhook_id: id, url }) => {
    const { name, temper } = merchants.find((one) => url.startsWith(one.url)) as Merchant;
    if (!resent.has(id) || ['refusing', 'once', 'gone'].includes(temper)) return [];
    return [`I11 ${id} was given up for ${name} (${temper})`];
  });
}

const SOON_MS = 5 * 60_000;
const LONGEST_ASKED_MS = 11 * 60_000;

/**
 * I12: once a merchant responds again, all its waiting callbacks are sent soon, also those with a late next attempt.
 * They may be later by the time that four concurrent requests of one worker need for callbacks that were due before.
 */
function checkWaking(evidence: Evidence): string[] {
  const attempts = Map.groupBy(evidence.attempts, ({ merchant }) => merchant);
  return [...attempts].flatMap(([merchant, list]) => {
    const success = list.find((one) => isSuccess(one) && one.startedAt > evidence.quietFrom);
    const answersAgain = success?.endedAt ?? null;
    if (answersAgain === null || merchant.temper === 'gone') return [];
    const latest = answersAgain + SOON_MS + (merchant.temper === 'busy' ? LONGEST_ASKED_MS : 0);
    return [...Map.groupBy(list, ({ id }) => id)].flatMap(([id, made]) => {
      const before = made.filter(({ startedAt }) => startedAt <= answersAgain);
      const next = made[before.length];
      if (next === undefined || before.length === 0 || next.startedAt <= latest) return [];
      if (next.startedAt <= latest + busyMs(list, answersAgain, next.startedAt) / 4) return [];
      // Its last attempt was outside the schedule or was not recorded.
      if (before.at(-1)?.row?.attempts === next.row?.attempts) return [];
      return [`I12 ${id} waited for ${next.startedAt - answersAgain} ms when ${merchant.name} answered again`];
    });
  });
}

/** Sums the durations of the requests that began between two moments, in milliseconds. */
function busyMs(attempts: readonly Attempt[], from: number, to: number): number {
  return attempts
    .filter(({ startedAt }) => isWithin(startedAt, from, to))
    .reduce((sum, { startedAt, endedAt }) => sum + Math.min(endedAt ?? to, to) - startedAt, 0);
}

/** I13: attempts outside the schedule do not use up its steps. */
function checkSchedule({ attempts, resends }: Evidence): string[] {
  const resent = new Set(resends.map(({ id }) => id));
  return [...Map.groupBy(attempts, ({ id }) => id)].flatMap(([id, list]) => {
    if (resent.has(id)) return [];
    return list.slice(0, -1).flatMap(({ row, startedAt }, at) => {
      const number = row?.attempts ?? 0;
      const next = list[at + 1]?.row;
      // A paused worker can send a callback that has ended meanwhile: its last attempt is counted, even one outside the
      // schedule.
      if (next?.state !== 'queued' || next.attempts <= number) return [];
      const least = 0.8 * retrySchedule.slice(0, number + 1).reduce((sum, wait) => sum + wait);
      const after = startedAt - (list[0] as Attempt).startedAt;
      return after < least ? [`I13 ${id} was tried for step ${number} after ${after} ms`] : [];
    });
  });
}

function isTaken(outcome: FetchOutcome): boolean {
  if (outcome.kind !== 'answered') return false;
  return (outcome.status >= 200 && outcome.status < 300) || outcome.location === '/thanks';
}

/** Whether the response is 2xx; a redirect does not reschedule other callbacks. */
function isSuccess({ outcome }: Attempt): boolean {
  return outcome?.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}

function isWithin(time: number | null, from: number, to: number): boolean {
  return time !== null && time >= from && time <= to;
}

function merchantOf({ merchants }: Evidence, url: string): Merchant {
  return merchants.find((merchant) => url.startsWith(merchant.url)) as Merchant;
}

function isTroubled(life: Life, from: number, to: number): boolean {
  return troublesOf(life, from, to).length > 0;
}

function troublesOf(life: Life, from: number, to: number): { from: number; to: number; mishap: Mishap }[] {
  return life.troubles.filter((trouble) => trouble.to >= from && trouble.from <= to);
}

function isGone({ outcome }: Attempt): boolean {
  return outcome?.kind === 'answered' && outcome.status === 410;
}
