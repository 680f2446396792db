import type { App } from '../app.ts';
import { withinTime } from '../lib/within-time.ts';
import { CredentialsRefused } from '../payment-methods/payment-method.ts';

/** Shorter than a claim, so two workers never query the same attempt. */
const TIME_OUT_MS = 20_000;

/**
 * Sends one request to a payment method and counts the outcome. Never rejects: if the method throws or does not answer
 * within 20 s, the outcome is `unknown`. That is not a refusal, because the money may have moved. `about` is for the
 * log.
 *
 * If a method refuses the operator's key, logs an alarm, because every payment fails and no other check reports it.
 */
export async function putQuestion<Answer extends { kind: string }>(
  app: App,
  about: { method: string; question: string; attempt?: string; refund?: string },
  ask: () => Promise<Answer>,
): Promise<Answer | { kind: 'unknown' }> {
  const count = (outcome: string) => app.metrics.methodAnswers.inc({ method: about.method, outcome });
  try {
    const answer = await withinTime(ask(), TIME_OUT_MS);
    count(answer.kind);
    return answer;
  } catch (error) {
    if (error instanceof CredentialsRefused) {
      count('credentials_refused');
      const alarm = 'credentials_refused';
      app.log.error({ alarm, err: error, ...about }, 'a payment method rejects its configured key');
    } else {
      count('unknown');
      app.log.warn({ err: error, ...about }, 'a payment method did not answer');
    }
    return { kind: 'unknown' };
  }
}
