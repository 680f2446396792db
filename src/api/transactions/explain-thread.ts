import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { type ExplainOptions, explain } from '../../../protocol/explain-signature.ts';

standBack();

/** Searches for the input of a signature on this thread, so that payments do not wait. One question at a time. */
parentPort?.on('message', (question: ExplainOptions) => parentPort?.postMessage(explain(question)));

/**
 * Lowers the priority of this thread, so that payments come first on a busy machine or one with a single processor: a
 * hundred wrong signatures a minute cause seconds of searching. Not the lowest priority: on a busy machine a search
 * would then time out. Linux has a priority per thread, and this link names the thread that reads it.
 */
function standBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without /proc, or in a sandbox that forbids the call, the thread keeps its normal priority.
  }
}
