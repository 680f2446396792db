import { createHmac } from 'node:crypto';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey } from '../lib/seal.ts';

/**
 * How often something may happen to one subject, such as an address or an account.
 *
 * `window`: at most `most` times from the first one on until `windowMs` later, then the count starts anew.
 * `streak`: every counted one opens the window anew, so the count ends only after `windowMs` without any. That is for
 * guesses: whatever their pace, there are never more than `most` of them in `windowMs`.
 */
export type Limit = {
  name: string;
  most: number;
  windowMs: number;
  counts: 'window' | 'streak';
  /** Whether only who has proved who it is comes to be counted: its counts wait behind no stranger's. */
  known?: true;
};

/** `resetMs`: until the count starts anew. */
export type LimitUse = { allowed: boolean; remaining: number; resetMs: number };

const keyOf = perInstance((app: App) => deriveKey(app.config.masterKey, 'limit-subject'));

/** Where the count is kept. The subject cannot be read from it, nor found by trying all addresses there are. */
export function limitKey(app: App, limit: Pick<Limit, 'name'>, subject: string): string {
  return createHmac('sha256', keyOf(app)).update(`${limit.name}\n${subject}`).digest('base64url');
}

/** Makes the refusal of a request beyond its limit. */
export function limitProblem(limit: Limit, use: LimitUse): Problem {
  return new Problem('RATE_LIMITED', { spent: { ...limit, ...use } });
}
