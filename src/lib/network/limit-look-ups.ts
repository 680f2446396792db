import type { Resolve } from './resolve-host.ts';

/**
 * The most concurrent look-ups of one merchant. A merchant whose name servers are silent delays only its own requests.
 */
const CONCURRENT_OF_A_MERCHANT = 8;
/**
 * A failed name is not looked up again for this time, then for twice as long each time. Shorter than the first retry of
 * a callback.
 */
const FIRST_PAUSE_MS = 4_000;
/** Shorter than the second retry, so each later retry looks the name up again. */
const LONGEST_PAUSE_MS = 60_000;
/** How many failed names are remembered. The oldest is dropped first. */
const FAILED_NAMES = 1_000;
/** A request that waits longer for its turn has already timed out. */
const LONGEST_WAIT_MS = 5_000;

type FailedName = { error: unknown; pauseMs: number; until: number };

/**
 * Limits look-ups of names that merchants chose: at most 8 at once for each merchant. A failure is cached, so the
 * callbacks for a dead name neither hold sockets nor wait one by one. A success is not cached. `now` is in
 * milliseconds.
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
      // When several requests shared the look-up, the first has already recorded its failure.
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
      // Passes the slot to the next request.
      const next = turn.waiting.shift();
      if (next !== undefined) next();
      else if (--turn.running === 0) turns.delete(merchant);
    }
  };
}
