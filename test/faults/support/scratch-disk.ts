import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system of its own that can lose its power. */
export type ScratchDisk = Disposable & {
  /** Where it is mounted. */
  readonly folder: string;
  /** From now on nothing reaches the disk: what was not flushed is gone, as when the power goes. */
  cutPower(): void;
  /** Mounts it again, which replays its journal. No process may have a file of it open. */
  restorePower(): void;
};

/** ext4 on a loop device. Throws where the kernel or the rights of this process do not allow it. */
export function createScratchDisk(megabytes: number): ScratchDisk {
  const place = mkdtempSync(join(tmpdir(), 'rubrica-disk-'));
  const image = join(place, 'image');
  const folder = join(place, 'mounted');
  mkdirSync(folder);
  writeFileSync(image, '');
  truncateSync(image, megabytes * 1024 * 1024);
  let device = '';
  try {
    device = run('losetup', '--find', '--show', image).trim();
    run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=1', device);
    run('mount', device, folder);
  } catch (error) {
    if (device !== '') run('losetup', '--detach', device);
    rmSync(place, { recursive: true });
    throw error;
  }
  return {
    folder,
    cutPower: () => void run('perl', '-e', SHUTDOWN, folder),
    restorePower: () => {
      run('umount', folder);
      run('mount', device, folder);
    },
    [Symbol.dispose]: () => {
      run('umount', folder);
      run('losetup', '--detach', device);
      rmSync(place, { recursive: true });
    },
  };
}

/** A file system in memory of a fixed size, to be filled. Throws where this process may not mount one. */
export function createSmallDisk(megabytes: number): Disposable & { folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-small-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    [Symbol.dispose]: () => {
      run('umount', folder);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Why the file systems of this machine cannot be tried, or null. */
export function whyNoDisk(create: () => Disposable): string | null {
  try {
    create()[Symbol.dispose]();
    return null;
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1) ?? 'not allowed';
  }
}

// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, of the kernel's fs/ext4/ext4.h. Perl is part of every Debian.
const SHUTDOWN = 'open(F, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl(F, 0x8004587D, $how) or die $!;';

function run(program: string, ...args: string[]): string {
  // Debian keeps some of these where only the administrator looks.
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return execFileSync(program, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
}
