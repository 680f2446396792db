/**
 * The time of this process: UTC milliseconds, integer, never running backwards.
 * `anchor(utcMs)` corrects it with a time the caller trusts more, such as the database's.
 */
export type Clock = {
  (): number;
  anchor: (utcMs: number) => void;
};

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

  function now(): number {
    const elapsed = sources.monotonic() - startedAt;
    lastIssued = Math.floor(base + elapsed - Math.min(ahead, elapsed / 2));
    return lastIssued;
  }

  function anchor(utcMs: number): void {
    base = Math.max(utcMs, lastIssued);
    ahead = base - utcMs;
    startedAt = sources.monotonic();
  }

  return Object.assign(now, { anchor });
}
