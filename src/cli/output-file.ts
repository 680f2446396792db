import { rmSync } from 'node:fs';
import { link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** `part` is the temporary file until `keep`; null when the output is written in place. */
export type Output = {
  readonly stream: Writable;
  readonly part: string | null;
  keep(): Promise<void>;
  /** Like `keep`, but never overwrites: rejects with `EEXIST` if the file exists. */
  keepNew(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Opens the output of a command; standard output unless `out` is given. The file gets its name only when it is
 * complete, so that a failure leaves an earlier file intact. Until then it is `<out>.<process id>.part`. Only the owner
 * can read a new file, because the rows are about people and their money. An existing file keeps its permissions.
 */
export async function openOutput(out: string | undefined): Promise<Output> {
  if (out === undefined) return { stream: process.stdout, part: null, keep: DONE, keepNew: DONE, discard: DONE };
  const existing = await stat(out).catch(() => null);
  const path = await realPath(out);
  // A pipe or a device is written directly: a rename would replace it with a file.
  if (existing !== null && !existing.isFile()) return openInPlace(out);
  await removeAbandoned(path);
  const part = `${path}.${process.pid}.part`;
  // SQLite writes a journal beside its copy.
  const remove = () => [part, `${part}-journal`].forEach((file) => rmSync(file, { force: true }));
  // Register before the file exists, so that every signal removes it.
  process.once('exit', remove);
  exitOnSignals();
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

let exitsOnSignals = false;

/** Makes a signal exit, which removes the temporary files of all outputs of the command. */
function exitOnSignals(): void {
  if (exitsOnSignals) return;
  exitsOnSignals = true;
  const interrupted = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
}

/** Creates a hard link, which never replaces a file. Falls back to a rename on file systems without links. */
function linkNew(part: string, path: string): Promise<void> {
  return link(part, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error;
    return rename(part, path);
  });
}

/** Resolves links in a path. Returns the absolute path if nothing exists there. */
export function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/**
 * Writes bytes to a file that gets its name only when it is complete: a part of a file for a bank must not look like the
 * file.
 */
export async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const output = await openOutput(path);
  try {
    await new Promise<void>((resolve, reject) => {
      output.stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await output.keep();
  } catch (error) {
    await output.discard();
    throw error;
  }
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

/** Removes the temporary files that killed runs left beside `path`. Files of running processes stay. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  const start = `${basename(path)}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = name.startsWith(start) ? /^(\d+)\.part$/.exec(name.slice(start.length)) : null;
    if (owner !== null && !isRunning(Number(owner[1]))) await rm(join(folder, name), { force: true });
  }
}

/**
 * Returns whether another process with this id runs. This process has opened nothing yet, so a file with its id is from
 * an earlier process.
 */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
