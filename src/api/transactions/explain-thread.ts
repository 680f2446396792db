import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { type ExplainOptions, explain } from '../../../protocol/explain-signature.ts';

standBack();

/** Looks for what a signature was made with, beside the thread that answers payments. One question at a time. */
parentPort?.on('message', (question: ExplainOptions) => parentPort?.postMessage(explain(question)));

/**
 * Leaves the processor to the payments where there is one alone, or all are taken: a hundred wrong signatures a minute search for
 * seconds. Not at the lowest priority: on a busy machine a search would outlive its time. Linux gives each thread a priority of its
 * own, and this link names the thread that reads it.
 */
function standBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without /proc, or where a sandbox forbids it, it searches as any other thread.
  }
}
