import { rmSync } from 'node:fs';
import { link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** `part`: the file that is written until `keep`; null where the rows go to their place at once. */
export type Output = {
  readonly stream: Writable;
  readonly part: string | null;
  keep(): Promise<void>;
  /** The same where nothing has the name yet; rejects with `EEXIST` where something has it by now. */
  keepNew(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Opens what a command writes its rows to; standard output unless `out` is given. A file takes its name once it is whole,
 * so that a failure leaves what an earlier run has written. Until then it is `<out>.<process id>.part`. A new one can be read
 * by its owner alone, because what commands write is about people and their money; one that was there keeps its rights.
 */
export async function openOutput(out: string | undefined): Promise<Output> {
  if (out === undefined) return { stream: process.stdout, part: null, keep: DONE, keepNew: DONE, discard: DONE };
  const existing = await stat(out).catch(() => null);
  const path = await realPath(out);
  // A pipe or a device is written to: renaming would put a file in its place.
  if (existing !== null && !existing.isFile()) return openInPlace(out);
  await removeAbandoned(path);
  const part = `${path}.${process.pid}.part`;
  // SQLite has a journal beside the copy that it makes.
  const remove = () => [part, `${part}-journal`].forEach((file) => rmSync(file, { force: true }));
  // Before the file is there, so that no signal finds it without them.
  process.once('exit', remove);
  // A command may have several: the first that hears of the signal ends all.
  const interrupted = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  const handle = await open(part, 'wx', existing?.mode ?? 0o600).catch((error: unknown) => {
    process.off('exit', remove);
    throw error;
  });
  const stream = handle.createWriteStream({ flush: true });
  return {
    stream,
    part,
    keep: async () => {
      await finished(stream.end());
      await rename(part, path);
      process.off('exit', remove);
    },
    keepNew: async () => {
      await finished(stream.end());
      await linkNew(part, path);
      remove();
      process.off('exit', remove);
    },
    discard: async () => {
      stream.destroy();
      remove();
      process.off('exit', remove);
    },
  };
}

const DONE = async () => {};

/** A second name, which no file loses its own to; where the file system has none, a rename. */
function linkNew(part: string, path: string): Promise<void> {
  return link(part, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error;
    return rename(part, path);
  });
}

/** Where a path leads, links followed; the path itself where nothing is yet. */
export function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

async function openInPlace(path: string): Promise<Output> {
  const stream = (await open(path, 'w')).createWriteStream();
  return {
    stream,
    part: null,
    keep: () => finished(stream.end()),
    keepNew: () => finished(stream.end()),
    discard: async () => {
      stream.destroy();
    },
  };
}

/** Removes the files that killed runs have left beside `path`. One that still writes keeps its own. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length)) : null;
    if (owner !== null && !isRunning(Number(owner[1]))) await rm(join(folder, name), { force: true });
  }
}

/** This process has opened nothing yet, so a file with its number is of one that had it before. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
