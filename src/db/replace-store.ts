import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder } from '../lib/make-private-folder.ts';

/** A copy of a backup beside the store. It is checked and prepared before it replaces the store. */
export type Replacement = {
  /** The database URL of the copy, `sqlite:FILE`. */
  readonly url: string;
  /**
   * Reads the copy once from beginning to end, so that it is in the system's cache: a check reads its pages in another
   * order. With ten million payments the check took two minutes; without this it had not finished after a quarter of an
   * hour.
   */
  readThrough(onRead: (bytes: number) => void): Promise<void>;
  /** The path of the present store, or null. */
  readonly present: string | null;
  /**
   * Replaces the store by the copy, which must be closed. Returns the path where the old store is kept. If it is
   * interrupted, both remain: the store under its new name and the copy beside it.
   */
  putInPlace(keptAs: string): string | null;
  /** Deletes the copy. */
  readonly discard: () => void;
};

/** Copies `backup`, with its write-ahead log if it has one, beside the store of `databaseUrl`. */
export function prepareReplacement(databaseUrl: string, backup: string): Replacement {
  const named = databaseUrl.slice('sqlite:'.length);
  makePrivateFolder(dirname(named));
  const file = existsSync(named) ? realpathSync(named) : named;
  const usual = `${file}.restoring`;
  // The backup may itself be the copy that an interrupted restore left. It must not be overwritten.
  const copy = existsSync(usual) && statSync(usual).ino === statSync(backup).ino ? `${usual}-again` : usual;
  const discard = () => {
    for (const part of PARTS) rmSync(copy + part, { force: true });
  };
  discard();
  closeSync(openSync(copy, 'wx', 0o600));
  copyFileSync(backup, copy);
  if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${copy}-wal`);
  const present = existsSync(file) ? file : null;
  return {
    url: `sqlite:${copy}`,
    present,
    discard,
    readThrough: (onRead) => readThrough(copy, onRead),
    putInPlace: (keptAs) => {
      flush(copy);
      // The log is renamed first: without its file it does no harm, but beside another file it would be read as that
      // file's log.
      if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${keptAs}-wal`);
      rmSync(`${file}-shm`, { force: true });
      if (present !== null) renameSync(file, keptAs);
      renameSync(copy, file);
      flush(dirname(file));
      return present === null ? null : keptAs;
    },
  };
}

const PARTS = ['', '-wal', '-shm'] as const;
const CHUNK_BYTES = 4 * 1024 * 1024;

async function readThrough(file: string, onRead: (bytes: number) => void): Promise<void> {
  let bytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
    bytes += (chunk as Buffer).length;
    onRead(bytes);
  }
}

function flush(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
