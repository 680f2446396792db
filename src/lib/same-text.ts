import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time, so that a guess learns nothing from it. Texts of different lengths differ. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
