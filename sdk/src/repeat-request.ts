import { RubricaError } from './rubrica-error.ts';

const MOST_ATTEMPTS = 4;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

/**
 * Runs `attempt` up to four times, until it succeeds or fails with what will not pass by waiting. Only for what may be
 * done twice, or with `isUndone` for what may not. Throws the last failure, or the last that may have been done; at once, when the service asks for more than half a minute.
 */
export async function repeatRequest<Reply>(
  attempt: () => Promise<Reply>,
  mayRepeat: (error: RubricaError) => boolean = ({ retryable }) => retryable,
): Promise<Reply> {
  let uncertain: unknown = null;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const wait = error instanceof RubricaError && mayRepeat(error) ? waitAfter(error, failures) : null;
      if (mayBeDone(error) && !isUnanswered(uncertain)) uncertain = error;
      if (wait === null || wait > LONGEST_WAIT_MS || failures === MOST_ATTEMPTS) throw lastOf(error, uncertain);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Whether a call that failed so was surely not carried out, and may be later. */
export function isUndone({ code }: RubricaError): boolean {
  return code === 'NOT_SENT' || code === 'RATE_LIMITED';
}

function mayBeDone(error: unknown): boolean {
  return isUnanswered(error) || (error instanceof RubricaError && (error.status ?? 0) >= 500);
}

/** Nothing that a proxy says afterwards tells more. */
function isUnanswered(error: unknown): boolean {
  return error instanceof RubricaError && error.code === 'NO_ANSWER';
}

/** That the last attempt was not sent, was one too many or met a proxy does not say that no earlier one was done. */
function lastOf(error: unknown, uncertain: unknown): unknown {
  const saysNothing =
    error instanceof RubricaError && (['NOT_SENT', 'UNREADABLE_ANSWER'].includes(error.code) || error.status === 429);
  return saysNothing ? (uncertain ?? error) : error;
}

/** Longer each time, and never shorter than asked for. The random part parts those who failed together. */
function waitAfter({ retryAfterMs }: RubricaError, failures: number): number {
  const backoff = FIRST_WAIT_MS * 2 ** (failures - 1);
  return (retryAfterMs ?? 0) + backoff * (0.5 + Math.random() / 2);
}
