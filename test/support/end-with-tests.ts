import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const GRACE_MS = 5_000;
/** For its results to be written. */
const END_WITHIN_MS = 500;

/** Taken before a test can put its own in this place. */
const startTimer = setTimeout;

/**
 * Loaded into each test file: ends its process when its tests are over, and says what a test has left running.
 * The runner's own `forceExit` ends it before its results are written: up to a third of a quick file's tests were not counted.
 */
if (isMainThread) after(() => void startTimer(endProcess, GRACE_MS).unref());

function endProcess(): void {
  console.error(
    `${process.argv[1]}: its tests are over and left running: ${process.getActiveResourcesInfo().join(', ')}`,
  );
  // The runner writes the results of the file when nothing is left to do.
  process.emit('beforeExit', 0);
  startTimer(() => process.exit(), END_WITHIN_MS);
}
