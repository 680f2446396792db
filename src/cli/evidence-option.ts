import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describeEvidence, type Evidence } from '../lib/evidence-file.ts';
import { unusableFile } from './print.ts';

/** Reads the file of `--evidence` and returns its name and digest. */
export function evidenceOf(path: string): Evidence {
  return readWithEvidence(path).evidence;
}

/**
 * Does the same and also returns the content. The file is read once: a pipe has no second read, and a file may change.
 */
export function readWithEvidence(path: string): { evidence: Evidence; content: Readable } {
  try {
    const bytes = readFileSync(path);
    return { evidence: describeEvidence(path, bytes), content: Readable.from([bytes]) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw unusableFile(`There is no file ${path}.`);
    throw unusableFile(`${path} cannot be read (${code ?? 'unknown'}): name a file that shows it.`);
  }
}
