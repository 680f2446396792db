import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '../../support/child-process.ts';
import { pathOf, whyMissing } from '../../support/system-programs.ts';

/** A small separate file system that can lose its power. */
export type ScratchDisk = AsyncDisposable & {
  /** The mount point. */
  readonly folder: string;
  /** Stops all writes to the disk: unflushed data is lost, as in a power cut. */
  cutPower(): Promise<void>;
  /** Mounts the disk again, which replays its journal. No process may have one of its files open. */
  restorePower(): Promise<void>;
};

/** Creates an ext4 on a loop device. Throws if the kernel or the rights of this process do not allow it. */
export async function createScratchDisk(megabytes: number): Promise<ScratchDisk> {
  const place = mkdtempSync(join(tmpdir(), 'rubrica-disk-'));
  const image = join(place, 'image');
  const folder = join(place, 'mounted');
  mkdirSync(folder);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  let device = '';
  try {
    device = (await outputOf('losetup', ['--find', '--show', image])).trim();
    await outputOf('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=1', device]);
    await outputOf('mount', [device, folder]);
  } catch (error) {
    if (device !== '') await outputOf('losetup', ['--detach', device]);
    rmSync(place, { recursive: true });
    throw error;
  }
  return {
    folder,
    cutPower: async () => void (await outputOf('perl', ['-e', SHUTDOWN, folder])),
    restorePower: async () => {
      await outputOf('umount', [folder]);
      await outputOf('mount', [device, folder]);
    },
    [Symbol.asyncDispose]: async () => {
      await outputOf('umount', [folder]);
      await outputOf('losetup', ['--detach', device]);
      rmSync(place, { recursive: true });
    },
  };
}

/** Creates a file system in memory with a fixed size, to be filled. Throws if this process may not mount one. */
export async function createSmallDisk(megabytes: number): Promise<AsyncDisposable & { folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-small-'));
  try {
    await outputOf('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await outputOf('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns why the file systems of this machine cannot be tested, or null. */
export async function whyNoDisk(create: () => Promise<AsyncDisposable>): Promise<string | null> {
  const missing = PROGRAMS.map(whyMissing).find((reason) => reason !== null);
  if (missing !== undefined) return missing;
  for (const program of PROGRAMS) pathOf(program);
  try {
    await (await create())[Symbol.asyncDispose]();
    return null;
  } catch (error) {
    return `this machine does not allow it (${(error as Error).message.trim().split('\n').at(-1)})`;
  }
}

const PROGRAMS = ['losetup', 'mkfs.ext4', 'mount', 'perl', 'umount'] as const;

// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, from the kernel's fs/ext4/ext4.h. Every Debian has Perl.
const SHUTDOWN = 'open(F, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl(F, 0x8004587D, $how) or die $!;';
