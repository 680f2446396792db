import { type Leased, type NextAttempt, nextAttempt } from '../lib/next-attempt.ts';
import type { NextStep } from './retry-schedule.ts';

export const CALLBACK_STATES = ['queued', 'delivered', 'redirected', 'superseded', 'dead', 'disabled'] as const;

/**
 * The state of a callback. `queued`: waits for an attempt. `redirected`: the shop handled it and responded with a
 * redirect. `superseded`: the shop rejected it, but had the same result from the payer's browser. `dead`: given up.
 * `disabled`: nobody wants it there: its endpoint responded 410, or it was for a user's webhook that has ended, or
 * whose user is disabled or does not see the event any more.
 */
export type CallbackState = (typeof CALLBACK_STATES)[number];

const HAS_ARRIVED: Record<CallbackState, boolean> = {
  queued: false,
  delivered: true,
  redirected: true,
  superseded: true,
  dead: false,
  disabled: false,
};

/** Returns whether the shop has the event of a callback in this state. */
export function hasArrived(state: CallbackState): boolean {
  return HAS_ARRIVED[state];
}

/** THE TABLE: the state of a queued callback after each step. Only a resend changes another state back to `queued`. */
export const STATE_AFTER = {
  delivered: 'delivered',
  redirected: 'redirected',
  retry: 'queued',
  superseded: 'superseded',
  dead: 'dead',
  unwanted: 'disabled',
  disable: 'disabled',
} as const satisfies Record<NextStep['kind'], CallbackState>;

/** A lease lasts longer than an attempt can (15 s), so a living worker never loses a callback under way. */
export const CALLBACK_LEASE_MS = 60_000;

/**
 * Returns when a callback, or the first one of an endpoint, is attempted next, or since when an attempt is under way.
 */
export function nextOfCallback(waiting: Leased, now: number): NextAttempt {
  return nextAttempt(waiting, now, CALLBACK_LEASE_MS);
}
