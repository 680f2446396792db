import type { Resolve } from './resolve-host.ts';

/** One merchant with many names whose name servers are silent holds so many look-ups, and only its own wait. */
const CONCURRENT_OF_A_MERCHANT = 8;
/** A name that failed is not asked for again for so long, then for twice as long. Shorter than the first retry of a callback. */
const FIRST_PAUSE_MS = 4_000;
/** Shorter than the second retry, so that each later one asks anew. */
const LONGEST_PAUSE_MS = 60_000;
/** Failed names that are remembered; the oldest goes first. */
const FAILED_NAMES = 1_000;
/** A request that has waited longer for its turn has ended meanwhile. */
const LONGEST_WAIT_MS = 5_000;

type FailedName = { error: unknown; pauseMs: number; until: number };

/**
 * Look-ups of names that strangers chose: so many at once for a merchant, and a failure is remembered, so that the backlog
 * of a dead name neither holds sockets nor waits once per callback. An answer is never remembered. `now` is in milliseconds.
 */
export function limitLookUps(resolve: Resolve, now: () => number): Resolve {
  const failed = new Map<string, FailedName>();
  const turns = new Map<number, { running: number; waiting: (() => void)[] }>();

  const remember = (hostname: string, error: unknown) => {
    const pauseMs = Math.min((failed.get(hostname)?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
    failed.delete(hostname);
    failed.set(hostname, { error, pauseMs, until: now() + pauseMs });
    if (failed.size > FAILED_NAMES) failed.delete(failed.keys().next().value as string);
  };

  const ask: Resolve = async (hostname) => {
    const earlier = failed.get(hostname);
    if (earlier !== undefined && now() < earlier.until) throw earlier.error;
    try {
      const addresses = await resolve(hostname);
      failed.delete(hostname);
      return addresses;
    } catch (error) {
      // Of several that shared the look-up the first has noted it.
      if (failed.get(hostname) === earlier) remember(hostname, error);
      throw error;
    }
  };

  return async (hostname, merchant) => {
    if (merchant === undefined) return ask(hostname);
    const askedAt = now();
    const turn = turns.get(merchant) ?? { running: 0, waiting: [] };
    turns.set(merchant, turn);
    if (turn.running === CONCURRENT_OF_A_MERCHANT) await new Promise<void>((begin) => turn.waiting.push(begin));
    else turn.running++;
    try {
      if (now() - askedAt > LONGEST_WAIT_MS) throw Object.assign(new Error('no turn in time'), { code: 'ETIMEDOUT' });
      return await ask(hostname);
    } finally {
      // Its place goes straight to the next.
      const next = turn.waiting.shift();
      if (next !== undefined) next();
      else if (--turn.running === 0) turns.delete(merchant);
    }
  };
}
