import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../lib/make-private-folder.ts';
import { anchorLine, readAnchorLine, type SealedAnchor } from './anchor.ts';
import type { AnchorRow } from './anchor-queries.ts';

/** One file for each day in Chile, one line for each anchor. */
const NAME = /^books-\d{4}-\d{2}-\d{2}\.jsonl$/;

/** Returns the anchor files of a folder by day; empty if the folder does not exist. */
export function anchorFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the anchor files of a folder, or the file itself. Throws the system's error. */
export function anchorFilesAt(path: string): string[] {
  return statSync(path).isDirectory() ? anchorFiles(path) : [path];
}

/**
 * Reads the anchors of a file, and counts its unreadable lines. An unfinished line after a power cut does not count,
 * because the whole line follows it. Throws the system's error.
 */
export function readAnchorFile(file: string): { anchors: SealedAnchor[]; unreadable: number } {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const read = lines.map(readAnchorLine);
  const broken = lines.filter((line, at) => read[at] === null && lines[at + 1]?.startsWith(line) !== true);
  return { anchors: read.filter((anchor) => anchor !== null), unreadable: broken.length };
}

/**
 * Returns the last anchors in a folder: from its newest file up to `today`, and from each file of a later day, which a
 * fast clock has left. Empty if the folder has no anchor.
 */
export function lastAnchorsIn(folder: string, today: string): SealedAnchor[] {
  const found: SealedAnchor[] = [];
  for (const file of anchorFiles(folder).toReversed()) {
    const last = readAnchorFile(file).anchors.at(-1);
    if (last !== undefined) found.push(last);
    if (last !== undefined && last.anchor.day <= today) break;
  }
  return found;
}

/**
 * Appends the anchors that the file of their day lacks, readable for this user only. Returns once they are on disk.
 * Two processes may still write a line in the same instant: that harms no reader.
 */
export function appendAnchors(folder: string, day: string, rows: readonly AnchorRow[]): void {
  makePrivateFolder(folder);
  const file = join(folder, `books-${day}.jsonl`);
  const handle = openSync(file, 'a+', 0o600);
  try {
    // An unfinished line after a power cut stays a separate line.
    const begun = readFileSync(file, 'utf8');
    const broken = begun !== '' && !begun.endsWith('\n');
    // Another process may have written them after this one looked at the folder.
    const present = new Set(begun.split('\n'));
    const lines = rows.map(anchorLine).filter((line) => !present.has(line));
    writeSync(handle, `${broken ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  const parent = openSync(folder, 'r');
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}
