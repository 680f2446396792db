import type { App } from '../app.ts';
import type { Attempt, Outcome } from './record-attempts.ts';

/**
 * Logs an attempt that did not succeed, of a callback or of an event. Giving up is logged as an alarm, because from
 * then on only a person can inform the shop. Logs only the host of the URL: path and query are the merchant's and may
 * contain a secret, and the response may contain any text. `decided` null: the attempt changed nothing, because another
 * worker had the callback by then.
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
  else if (step === 'redirected' || step === 'superseded' || step === 'unwanted')
    app.log.info(line, `a callback was ${step}`);
  else app.log.warn(line, 'a callback was not delivered');
}
