import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const GRACE_MS = 5_000;

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
  process.exit();
}
