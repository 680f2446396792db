import { setImmediate } from 'node:timers/promises';

/** So many steps take about a millisecond. */
const STEPS = 500;

/**
 * For long work without a wait of its own, such as the rows of a large file: `await` what it answers after each step, and what else the
 * process has to do gets its turn between some hundreds of them.
 */
export function letOthersRun(): () => Promise<void> | null {
  let steps = 0;
  return () => (++steps % STEPS === 0 ? setImmediate() : null);
}
