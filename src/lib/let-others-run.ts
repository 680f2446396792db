import { setImmediate } from 'node:timers/promises';

/** This many steps take about a millisecond. */
const STEPS = 500;

/**
 * Yields to the event loop during long synchronous work, such as the rows of a large file. The caller awaits the
 * returned function after each step; it yields once in several hundred steps.
 */
export function letOthersRun(): () => Promise<void> | null {
  let steps = 0;
  return () => (++steps % STEPS === 0 ? setImmediate() : null);
}
