import type { App } from '../app.ts';
import type { FetchOutcome } from '../lib/safe-fetch.ts';
import type { ClaimedCallback } from './outbox-queries.ts';
import type { NextStep } from './retry-schedule.ts';

type FailedAttempt = {
  callback: ClaimedCallback;
  /** UTC milliseconds. */
  endedAt: number;
  outcome: FetchOutcome;
  step: Exclude<NextStep, { kind: 'delivered' }>;
};

/**
 * One line for each attempt that delivered nothing, a notice of a refund like a callback; an alarm for the last, because
 * now nobody tells the shop unless a person does. Of the address only the host: its path and query are the merchant's own
 * and may hold a secret, and what the server answered is anybody's text.
 */
export function logFailedAttempt(app: App, { callback, endedAt, outcome, step }: FailedAttempt): void {
  const reason = outcome.kind === 'answered' ? `status_${outcome.status}` : outcome.reason;
  const line = {
    callback: callback.id,
    event: callback.webhook_id,
    attempt: callback.attempts + 1,
    host: URL.parse(callback.url)?.host,
    reason,
    step: step.kind,
  };
  if (step.kind === 'retry') {
    const nextAttempt = new Date(endedAt + step.afterMs).toISOString();
    app.log.warn({ ...line, nextAttempt }, 'a callback was not delivered');
  } else {
    app.log.error({ alarm: 'given_up', ...line, nextAttempt: null }, 'a callback was given up');
  }
}
