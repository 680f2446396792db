/**
 * The time of this process in UTC milliseconds: an integer that never goes back. `anchor(utcMs)` corrects it with a
 * time that the caller trusts more, such as the database's.
 *
 * In development the clock can travel: it is then `ahead()` milliseconds ahead of the real time. `anchor` takes the
 * real time. `ahead()` never falls, because time does not go back within a process.
 *
 * `behind()`: how far the machine's clock is ahead of the real time as this process counts it; negative: it is behind.
 */
export type Clock = {
  (): number;
  anchor: (utcMs: number) => void;
  travel?: (aheadMs: number) => void;
  ahead?: () => number;
  behind?: () => number;
};

/** Returns the real time, for comparison with the clocks of others, such as a shop or an authenticator app. */
export function worldTime(clock: Clock): number {
  return clock() - (clock.ahead?.() ?? 0);
}

/** The sources of a clock: the first UTC time, and the elapsed milliseconds. Tests pass their own. */
export type ClockSources = { wall: () => number; monotonic: () => number };

/**
 * Creates a clock that reads the wall time once, when it is made, and then only counts elapsed time. So a change of the
 * machine's clock moves no lease, expiry or retry of a running process.
 *
 * Anchored to a later time, the clock jumps forward. Anchored to an earlier time, it runs at half speed until the
 * difference is gone: a stopped clock would freeze every time-out.
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
  const behind = () => sources.wall() - (now() - travelled);
  return Object.assign(now, { anchor, travel, ahead: () => travelled, behind });
}
