import type { App } from '../app.ts';
import { withinTime } from '../lib/within-time.ts';
import { CredentialsRefused } from '../payment-methods/payment-method.ts';

/** Shorter than a claim, so two workers never query the same attempt. */
const TIME_OUT_MS = 20_000;

/**
 * Puts one question to a payment method, and counts the answer. Never rejects: a method that throws, or says nothing for
 * 20 s, has an `unknown` outcome, which is no refusal. The money may have moved. `about` is for the log.
 *
 * A method that does not take the operator's key is an alarm: each payer is turned back, and nobody else would tell.
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
