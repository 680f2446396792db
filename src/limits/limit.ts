import { createHmac } from 'node:crypto';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';

/**
 * How often something may happen to one subject, such as an address or an account.
 *
 * `window`: at most `most` times within `windowMs` of the first; then the count starts again. `streak`: every counted
 * use restarts the window, so the count ends only after `windowMs` without any use. It is for guesses: at any pace
 * there are at most `most` of them in `windowMs`.
 */
export type Limit = {
  name: string;
  most: number;
  windowMs: number;
  counts: 'window' | 'streak';
  /** Set if only authenticated subjects are counted: their counts do not queue behind strangers. */
  known?: true;
};

/** `resetMs`: the time until the count starts again. */
export type LimitUse = { allowed: boolean; remaining: number; resetMs: number };

const keyOf = perInstance((app: App) => deriveKey(app.config.masterKey, 'limit-subject'));

/** Returns the key of a count. The subject cannot be read from it, nor found by trying all addresses. */
export function limitKey(app: App, limit: Pick<Limit, 'name'>, subject: string): string {
  return createHmac('sha256', keyOf(app)).update(`${limit.name}\n${subject}`).digest('base64url');
}

/** Returns the refusal of a request beyond its limit. */
export function limitProblem(limit: Limit, use: LimitUse): Problem {
  return new Problem('RATE_LIMITED', { spent: { ...limit, ...use } });
}
