/**
 * The time of this process: UTC milliseconds, integer, never running backwards.
 * `anchor(utcMs)` corrects it with a time the caller trusts more, such as the database's.
 *
 * In development it can travel: from then on it is `ahead()` milliseconds ahead of the world's time, which `anchor` takes. Never less
 * than before, because within a process time does not go back.
 */
export type Clock = {
  (): number;
  anchor: (utcMs: number) => void;
  travel?: (aheadMs: number) => void;
  ahead?: () => number;
};

/** The time of everybody else: what a shop, or an app for codes, compares with a clock of its own. */
export function worldTime(clock: Clock): number {
  return clock() - (clock.ahead?.() ?? 0);
}

/** Where a clock reads its first UTC time and the milliseconds that pass after it; tests give their own. */
export type ClockSources = { wall: () => number; monotonic: () => number };

/**
 * A clock that reads the wall time once, when it is made, and from then on only counts elapsed time: somebody who
 * sets the machine's clock moves no lease, no expiry and no retry of a running process.
 *
 * Anchored to a later time it jumps forward. Anchored to an earlier one it runs at half speed until the difference is
 * gone, because a clock that stood still would freeze every time-out with it.
 */
export function systemClock(sources: ClockSources = { wall: Date.now, monotonic: () => performance.now() }): Clock {
  let base = sources.wall();
  let startedAt = sources.monotonic();
  let ahead = 0;
  let lastIssued = Number.NEGATIVE_INFINITY;
  let travelled = 0;

  function now(): number {
    const elapsed = sources.monotonic() - startedAt;
    lastIssued = Math.floor(base + elapsed - Math.min(ahead, elapsed / 2));
    return lastIssued + travelled;
  }

  function anchor(utcMs: number): void {
    base = Math.max(utcMs, lastIssued);
    ahead = base - utcMs;
    startedAt = sources.monotonic();
  }

  const travel = (aheadMs: number) => {
    travelled = Math.max(travelled, aheadMs);
  };
  return Object.assign(now, { anchor, travel, ahead: () => travelled });
}
