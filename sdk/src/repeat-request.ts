import { RubricaError } from './rubrica-error.ts';

const MOST_ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/** The last error after which a call may have been carried out; null without such an error. */
export type Doubt = { error: RubricaError | null };

type Repeats = { patienceMs: number; mayRepeat?: (error: RubricaError) => boolean; doubt?: Doubt };

/**
 * Runs `attempt` up to four times, until it succeeds or fails with an error that a retry cannot fix. Use it for calls
 * that may run twice, or with `isUndone` for the others. Throws the last error, or the error in `doubt` if the last one
 * proves nothing. Throws at once when the next wait exceeds half a minute, or when the next attempt would begin more
 * than `patienceMs` after the first.
 */
export async function repeatRequest<Reply>(
  attempt: () => Promise<Reply>,
  { patienceMs, mayRepeat = ({ retryable }) => retryable, doubt = { error: null } }: Repeats,
): Promise<Reply> {
  const startedAt = performance.now();
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait = error instanceof RubricaError && mayRepeat(error) ? waitAfter(error, failures) : null;
      if (mayBeDone(error) && !isUnanswered(doubt.error)) doubt.error = error;
      if (wait === null || wait > LONGEST_WAIT_MS || failures === MOST_ATTEMPTS) throw lastOf(error, doubt);
      if (performance.now() - startedAt + wait > patienceMs) throw lastOf(error, doubt);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Returns whether the failed call was certainly not carried out, and a retry may succeed. */
export function isUndone({ code }: RubricaError): boolean {
  return code === 'NOT_SENT' || code === 'RATE_LIMITED';
}

function mayBeDone(error: unknown): error is RubricaError {
  return isUnanswered(error) || (error instanceof RubricaError && (error.status ?? 0) >= 500);
}

/** The call was sent and got no response. A later response from a proxy adds no information. */
function isUnanswered(error: unknown): error is RubricaError {
  return error instanceof RubricaError && error.code === 'NO_ANSWER';
}

/**
 * Returns the error to throw. The last attempt may be unsent, rate-limited or answered by a proxy: that does not prove
 * that no earlier attempt was carried out.
 */
function lastOf(error: unknown, doubt: Doubt): unknown {
  const saysNothing =
    error instanceof RubricaError && (['NOT_SENT', 'UNREADABLE_ANSWER'].includes(error.code) || error.status === 429);
  return saysNothing ? (doubt.error ?? error) : error;
}

/**
 * Doubles the wait each time, and never waits less than `Retry-After`. The random part keeps clients that failed
 * together from retrying together.
 */
function waitAfter({ retryAfterMs }: RubricaError, failures: number): number {
  const backoff = FIRST_WAIT_MS * 2 ** (failures - 1);
  return (retryAfterMs ?? 0) + backoff * (0.5 + Math.random() / 2);
}
