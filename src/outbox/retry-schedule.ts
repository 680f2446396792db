import type { FetchOutcome } from '../lib/safe-fetch.ts';

/** What becomes of a callback after an attempt. `afterMs` counts from the end of that attempt. */
export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; afterMs: number }
  /** `refused`: the merchant keeps saying that the request is wrong. `exhausted`: the schedule has ended. */
  | { kind: 'dead'; reason: 'refused' | 'exhausted' }
  /** 410 Gone: the merchant wants nothing more at this URL. */
  | { kind: 'disable' };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The wait before each attempt, as Standard Webhooks proposes it: ten attempts in about three days. */
export const retrySchedule: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Published shops answer 400 to a second delivery, so a refusal is believed only when it is repeated. */
const attemptsUntilRefused = 3;
const longestRetryAfter = 24 * hour;
/** Waits are up to a tenth longer, never shorter: what failed together does not come back together. */
const jitter = 0.1;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Decides after attempt number `attemptNumber` (the first is 1). `random` answers in [0, 1), `now` is in UTC
 * milliseconds. Redirects are never followed, so they are failures like any other.
 */
export function nextStep(attemptNumber: number, outcome: FetchOutcome, random: () => number, now: number): NextStep {
  const status = outcome.kind === 'answered' ? outcome.status : 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'disable' };
  if (isRefusal(status) && attemptNumber >= attemptsUntilRefused) return { kind: 'dead', reason: 'refused' };
  const scheduled = retrySchedule[attemptNumber];
  if (scheduled === undefined) return { kind: 'dead', reason: 'exhausted' };
  const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : 0;
  return { kind: 'retry', afterMs: Math.round(Math.max(scheduled, asked) * (1 + jitter * random())) };
}

/** 4xx says that the request itself is at fault; 408 and 429 only say that this was the wrong moment. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), between 0 and 24 hours; 0 for anything else. */
function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const asked = /^\d+$/.test(header) ? Number(header) * second : httpDate.test(header) ? Date.parse(header) - now : 0;
  return Math.min(Math.max(asked || 0, 0), longestRetryAfter);
}
