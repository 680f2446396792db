import { accessSync, constants, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
/** Linux's number for tmpfs. */
const TMPFS = 0x01_02_19_94;
/** A container has 64 MB there by default. The tests use about a hundred at a time; the rest is for the machine. */
const ENOUGH_BYTES = 3 * 1024 ** 3;

/**
 * Returns the folder with the fastest files: /dev/shm, where a flush costs nothing, on a Linux with enough space there;
 * else `otherwise`.
 */
export function quickFolder(otherwise: string): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= ENOUGH_BYTES ? MEMORY : otherwise;
  } catch {
    return otherwise;
  }
}
