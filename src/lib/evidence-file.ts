import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** A file that proves a decision later. The excerpt is its first 4 KiB, in base64. */
export type Evidence = { name: string; sha256: string; bytes: number; excerpt: string };

const EXCERPT_BYTES = 4096;

/**
 * Returns the name and the digest of a file that has been read, such as a page of the acquirer's portal. The folder is
 * left out, and the name is cleaned as text.
 */
export function describeEvidence(path: string, content: Buffer): Evidence {
  return {
    name: basename(path)
      .replace(/\p{Cc}/gu, '?')
      .slice(0, 200)
      .toWellFormed(),
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
    excerpt: content.subarray(0, EXCERPT_BYTES).toString('base64'),
  };
}
