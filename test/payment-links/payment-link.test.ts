import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLinkEnd } from '../../src/payment-links/payment-link.ts';

test('a link ends after now and at most five years of 365 days later, to the millisecond', () => {
  const now = Date.UTC(2026, 0, 15);
  const last = now + 5 * 365 * 86_400_000;
  assert.deepEqual(
    [now, now + 1, last, last + 1].map((end) => isLinkEnd(end, now)),
    [false, true, true, false],
  );
});
