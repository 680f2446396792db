import { hash } from 'node:crypto';

/** A file that proves a decision later. The excerpt is its first 4 KiB, in base64. */
export type Evidence = { name: string; sha256: string; bytes: number; excerpt: string };

const EXCERPT_BYTES = 4096;

/** The folder in a path of Linux or of Windows. */
const FOLDER = /^.*[/\\]/s;
/** Control characters, and invisible ones, which could show `fdp.exe` as `exe.pdf`. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Returns the name of a file from its path, at most 200 characters. A `?` replaces each character that nobody sees, and
 * a missing name.
 */
export function nameOfFile(path: string): string {
  return path.replace(FOLDER, '').replace(UNSEEN, '?').slice(0, 200).toWellFormed() || '?';
}

/** Returns the name and the digest of a file that has been read, such as a page of the acquirer's portal. */
export function describeEvidence(path: string, content: Buffer): Evidence {
  return {
    name: nameOfFile(path),
    sha256: hash('sha256', content),
    bytes: content.length,
    excerpt: content.subarray(0, EXCERPT_BYTES).toString('base64'),
  };
}
