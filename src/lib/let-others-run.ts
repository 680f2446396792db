import { setImmediate } from 'node:timers/promises';

/** This many steps usually take about a millisecond. */
const STEPS = 500;

/** Steps of a hostile file take longer. */
const MOST_MS = 10;

/**
 * Yields to the event loop during long synchronous work, such as the rows of a large file. The caller awaits the
 * returned function after each step; it yields once in several hundred steps, or after some milliseconds.
 */
export function letOthersRun(): () => Promise<void> | null {
  let steps = 0;
  let since = performance.now();
  return () => {
    if (++steps < STEPS && performance.now() - since < MOST_MS) return null;
    steps = 0;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}
