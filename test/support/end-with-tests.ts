import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const GRACE_MS = 5_000;
/** The time for the runner to write its results. */
const END_WITHIN_MS = 500;

/** Saved before a test can mock it. */
const startTimer = setTimeout;

/**
 * Loaded into each test file: ends its process when its tests are over, and names what a test left running. The
 * runner's own `forceExit` ends the process before the results are written: it lost up to a third of a quick file's
 * tests.
 */
if (isMainThread) after(() => void startTimer(endProcess, GRACE_MS).unref());

function endProcess(): void {
  console.error(
    `${process.argv[1]}: its tests are over and left running: ${process.getActiveResourcesInfo().join(', ')}`,
  );
  // On this event the runner writes the results of the file.
  process.emit('beforeExit', 0);
  startTimer(() => process.exit(), END_WITHIN_MS);
}
