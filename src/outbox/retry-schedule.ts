import type { FetchOutcome } from '../lib/safe-fetch.ts';
import { isMove } from './redirect.ts';

/** The next step of a callback after an attempt. */
export type NextStep =
  | { kind: 'delivered' }
  /** 302 or 303: the shop has handled it and shows another page. */
  | { kind: 'redirected' }
  /** Both count from the end of the attempt; `askedMs` is what the shop itself asked for, else 0. */
  | { kind: 'retry'; afterMs: number; askedMs: number }
  /** `refused`: the merchant keeps saying that the request is wrong. `exhausted`: the schedule has ended. */
  | { kind: 'dead'; reason: 'refused' | 'exhausted' }
  /** Refused, but the payer's browser had brought the same result to the shop before. */
  | { kind: 'superseded' }
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
/** These say that the request itself is at fault. Any other 4xx passes: the 404 of a deploy, the 403 of a firewall. */
const refusals: readonly number[] = [400, 409, 422];
const longestRetryAfter = 24 * hour;
/** Waits are up to a tenth longer, never shorter: what failed together does not come back together. */
const jitter = 0.1;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The URL that was posted to, the number of the attempt (the first is 1), and what came of it. */
type Answer = { url: string; attempt: number; outcome: FetchOutcome };

/**
 * Decides after an attempt. `random` answers in [0, 1), `now` is in UTC milliseconds. Redirects are never followed: 302 and
 * 303 say that the post was handled, unless they name the same page elsewhere; the others that it has moved.
 */
export function nextStep({ url, attempt, outcome }: Answer, random: () => number, now: number): NextStep {
  const status = outcome.kind === 'answered' ? outcome.status : 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'disable' };
  if (isHandled(url, outcome)) return { kind: 'redirected' };
  if (isRefusal(outcome) && attempt >= attemptsUntilRefused) return { kind: 'dead', reason: 'refused' };
  const scheduled = retrySchedule[attempt];
  if (scheduled === undefined) return { kind: 'dead', reason: 'exhausted' };
  const askedMs = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : 0;
  return { kind: 'retry', afterMs: Math.round(Math.max(scheduled, askedMs) * (1 + jitter * random())), askedMs };
}

/** Whether the merchant says that the request is wrong, rather than that this was the wrong moment. */
export function isRefusal(outcome: FetchOutcome): boolean {
  return outcome.kind === 'answered' && refusals.includes(outcome.status);
}

function isHandled(url: string, outcome: FetchOutcome): boolean {
  if (outcome.kind !== 'answered' || (outcome.status !== 302 && outcome.status !== 303)) return false;
  return !isMove(url, outcome.location ?? null);
}

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), between 0 and 24 hours; 0 for anything else. */
function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const asked = /^\d+$/.test(header) ? Number(header) * second : httpDate.test(header) ? Date.parse(header) - now : 0;
  return Math.min(Math.max(asked || 0, 0), longestRetryAfter);
}
