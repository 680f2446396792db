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

/** A copy of a backup beside the store, to be looked at and made ready before it takes its place. */
export type Replacement = {
  /** `sqlite:FILE` of the copy. */
  readonly url: string;
  /**
   * Reads the copy once from its beginning to its end, so that the system has it in memory: a check goes through its pages in another
   * order. With ten million payments that check took two minutes, and had not ended after a quarter of an hour without this.
   */
  readThrough(onRead: (bytes: number) => void): Promise<void>;
  /** The store that is there now, or null. */
  readonly present: string | null;
  /**
   * Puts the copy, which must be closed, in the place of the store, and answers where that is kept now. Ended in the middle
   * it leaves both: the store with another name, the copy still beside it.
   */
  putInPlace(keptAs: string): string | null;
  /** Takes the copy away again. */
  readonly discard: () => void;
};

/** Copies `backup`, with its write-ahead log if it has one, beside the store of `databaseUrl`. */
export function prepareReplacement(databaseUrl: string, backup: string): Replacement {
  const named = databaseUrl.slice('sqlite:'.length);
  makePrivateFolder(dirname(named));
  const file = existsSync(named) ? realpathSync(named) : named;
  const usual = `${file}.restoring`;
  // Somebody may name the copy that a restore left which was ended in the middle: it must not be written over.
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
      // The log first: without its file it does no harm, but beside another file it would be taken for that one's.
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
