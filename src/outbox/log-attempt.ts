import type { App } from '../app.ts';
import type { Attempt, Outcome } from './record-attempts.ts';

/**
 * One line for each attempt that was not answered with success, a notice of a refund like a callback; an alarm for the last
 * of one that is given up, because now nobody tells the shop unless a person does. Of the address only the host: its path and
 * query are the merchant's own and may hold a secret, and what the server answered is anybody's text. `decided` is null for
 * an attempt that changed nothing, because the callback was another worker's by then.
 */
export function logAttempt(app: App, { callback, outcome }: Attempt, decided: Outcome | null): void {
  const step = decided?.step.kind ?? 'stale';
  const nextAttempt = decided !== null && step === 'retry' ? new Date(decided.nextAttemptAt).toISOString() : null;
  const line = {
    callback: callback.id,
    event: callback.webhook_id,
    attempt: callback.attempts + 1,
    host: URL.parse(callback.url)?.host,
    reason: outcome.kind === 'answered' ? `status_${outcome.status}` : outcome.reason,
    step,
    nextAttempt,
  };
  if (step === 'dead' || step === 'disable') app.log.error({ alarm: 'given_up', ...line }, 'a callback was given up');
  else if (step === 'redirected' || step === 'superseded') app.log.info(line, `a callback was ${step}`);
  else app.log.warn(line, 'a callback was not delivered');
}
