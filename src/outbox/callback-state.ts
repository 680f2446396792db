import type { NextStep } from './retry-schedule.ts';

/**
 * Where a callback stands. `queued`: it waits for an attempt. `redirected`: the shop handled it and answered with a redirect.
 * `superseded`: the shop refused it and had the same result from the payer's browser. `dead`: given up. `disabled`: its
 * endpoint has answered 410.
 */
export type CallbackState = (typeof CALLBACK_STATES)[number];

export const CALLBACK_STATES = ['queued', 'delivered', 'redirected', 'superseded', 'dead', 'disabled'] as const;

/** THE TABLE: what each step makes of a callback that is queued. Only a resend brings one of the others back to `queued`. */
export const STATE_AFTER = {
  delivered: 'delivered',
  redirected: 'redirected',
  retry: 'queued',
  superseded: 'superseded',
  dead: 'dead',
  disable: 'disabled',
} as const satisfies Record<NextStep['kind'], CallbackState>;
