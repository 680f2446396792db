import { randomFillSync } from 'node:crypto';

/** Digits and lower-case letters, without i, l, o and u, which are easily misread. */
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 20;

// A call for 16 random bytes costs a microsecond, mostly for the call, so bytes are fetched a pool at a time.
const pool = Buffer.allocUnsafe(16_384);
let used = pool.length;

/**
 * Returns an unguessable token of `bytes` random bytes, as base64url without padding. 16 bytes are 128 bits, 22
 * characters.
 */
export function randomToken(bytes: number): string {
  const start = takeRandomBytes(bytes);
  return pool.toString('base64url', start, start + bytes);
}

/** Returns `bytes` random bytes as lower-case hex. */
export function randomHex(bytes: number): string {
  const start = takeRandomBytes(bytes);
  return pool.toString('hex', start, start + bytes);
}

/**
 * Returns an id such as `ps_4m0c…`: 100 random bits that a person can read out, type, and select with a double click.
 */
export function prefixedId(prefix: string): string {
  const start = takeRandomBytes(idLength);
  let id = `${prefix}_`;
  for (let i = start; i < start + idLength; i++) id += idAlphabet[(pool[i] as number) & 31];
  return id;
}

/** Reserves the next `bytes` of the pool and returns their offset. No byte is used twice. */
function takeRandomBytes(bytes: number): number {
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > pool.length) {
    throw new RangeError(`cannot give out ${bytes} random bytes at once`);
  }
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += bytes;
  return start;
}
