import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttempt } from '../../src/lib/next-attempt.ts';
import { type Mail, nextOfMail } from '../../src/mail/mail.ts';
import { nextOfCallback } from '../../src/outbox/callback-state.ts';

const NOW = 1_000_000;

test('an attempt is under way from its claim to the end of its lease; then the next attempt is due', () => {
  for (const [leased_until, next, since] of [
    [NOW + 1, null, NOW + 1 - 500],
    [NOW, NOW, null],
    [null, NOW + 60_000, null],
  ] as const) {
    const waiting = { next_attempt_at: leased_until ?? NOW + 60_000, leased_until };
    assert.deepEqual(nextAttempt(waiting, NOW, 500), { next_attempt_at: next, under_way_since: since });
  }
});

test('a callback is claimed for a minute, a receipt for two', () => {
  const until = NOW + 60_000;
  assert.equal(nextOfCallback({ next_attempt_at: until, leased_until: until }, NOW).under_way_since, NOW);
  const mail = { next_attempt_at: until, lease: 'x' } as Mail;
  assert.equal(nextOfMail(mail, NOW).under_way_since, NOW - 60_000);
  assert.equal(nextOfMail({ ...mail, lease: null }, NOW).next_attempt_at, until);
});
