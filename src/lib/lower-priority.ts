import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lowers the priority of this thread, so that payments come first on a busy machine or one with a single processor. Not
 * the lowest priority: on a busy machine the work would then never end. Linux has a priority per thread, and this link
 * names the thread that reads it.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Without /proc, or in a sandbox that forbids the call, the thread keeps its normal priority.
  }
}
