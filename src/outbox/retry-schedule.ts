import type { FetchOutcome } from '../lib/network/safe-fetch.ts';
import { isMove } from './redirect.ts';

/** The next step of a callback after an attempt. */
export type NextStep =
  | { kind: 'delivered' }
  /** 302 or 303: the shop has handled it and shows another page. */
  | { kind: 'redirected' }
  /** Both times count from the end of the attempt. `askedMs`: the shop's `Retry-After`, else 0. */
  | { kind: 'retry'; afterMs: number; askedMs: number }
  /** `refused`: the merchant has repeatedly rejected the request. `exhausted`: the schedule has ended. */
  | { kind: 'dead'; reason: 'refused' | 'exhausted' }
  /** Rejected, but the payer's browser had brought the same result before. */
  | { kind: 'superseded' }
  /** Failed, and the user's webhook that it was for has ended meanwhile. */
  | { kind: 'unwanted' }
  /** 410 Gone: the merchant wants no more requests at this URL. */
  | { kind: 'disable' };

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The wait before each attempt, as Standard Webhooks recommends: ten attempts in about three days. */
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

/** Published shops respond 400 to a second delivery, so only a repeated rejection is final. */
const attemptsUntilRefused = 3;
/**
 * These statuses mean that the request itself is wrong. Other 4xx may be temporary: a 404 during a deploy, a 403 of a
 * firewall.
 */
const refusals: readonly number[] = [400, 409, 422];
const longestRetryAfter = 24 * hour;
/** Waits are up to a tenth longer, never shorter, so that callbacks that failed together are not retried together. */
const jitter = 0.1;

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** `url`: of the post. `attempt`: its number, from 1. */
type Answer = { url: string; attempt: number; outcome: FetchOutcome };

/**
 * Returns the next step after an attempt. `random` returns a number in [0, 1); `now` is UTC milliseconds. Redirects are
 * never followed. 302 and 303 mean that the post was handled, unless they lead to the same path elsewhere; other
 * redirects mean that the URL has moved.
 */
export function nextStep({ url, attempt, outcome }: Answer, random: () => number, now: number): NextStep {
  const status = outcome.kind === 'answered' ? outcome.status : 0;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'disable' };
  if (outcome.kind === 'answered' && isTaken(url, outcome)) return { kind: 'redirected' };
  if (isRefusal(outcome) && attempt >= attemptsUntilRefused) return { kind: 'dead', reason: 'refused' };
  const scheduled = retrySchedule[attempt];
  if (scheduled === undefined) return { kind: 'dead', reason: 'exhausted' };
  const askedMs = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : 0;
  return { kind: 'retry', afterMs: Math.round(Math.max(scheduled, askedMs) * (1 + jitter * random())), askedMs };
}

/** Returns whether the merchant rejects the request itself, so that a later retry cannot help. */
export function isRefusal(outcome: FetchOutcome): boolean {
  return outcome.kind === 'answered' && refusals.includes(outcome.status);
}

/**
 * Returns whether a shop that answers with this status took the post: 2xx, or a redirect to a page for the payer (302,
 * 303).
 */
export function meansTaken(status: number): boolean {
  return (status >= 200 && status < 300) || status === 302 || status === 303;
}

/**
 * Returns whether the shop took the post to `url`. A redirect to the same path elsewhere means that the URL has moved.
 */
export function isTaken(url: string, { status, location }: { status: number; location?: string | null }): boolean {
  return meansTaken(status) && (status < 300 || !isMove(url, location ?? null));
}

/** Reads `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), limited to 24 hours; 0 for anything else. */
function retryAfterMs(header: string | null, now: number): number {
  if (header === null) return 0;
  const asked = /^\d+$/.test(header) ? Number(header) * second : httpDate.test(header) ? Date.parse(header) - now : 0;
  return Math.min(Math.max(asked || 0, 0), longestRetryAfter);
}
