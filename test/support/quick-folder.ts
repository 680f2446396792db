import { accessSync, constants, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
/** The number by which Linux knows a file system in memory. */
const TMPFS = 0x01_02_19_94;
/** A container has 64 MB there unless it is told otherwise. The tests hold some hundred at a time; the rest is for the machine. */
const ENOUGH_BYTES = 3 * 1024 ** 3;

/** Where files cost least: in memory, where a flush costs nothing, on a Linux that has room there. Elsewhere `otherwise`. */
export function quickFolder(otherwise: string): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= ENOUGH_BYTES ? MEMORY : otherwise;
  } catch {
    return otherwise;
  }
}
