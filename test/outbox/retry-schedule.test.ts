import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { type NextStep, nextStep, retrySchedule } from '../../src/outbox/retry-schedule.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const second = 1_000;
const minute = 60_000;
const hour = 3_600_000;

const URL_CALLBACK = 'http://shop.example.cl/callback?order=1';

const answered = (status: number, retryAfter: string | null = null): FetchOutcome => {
  return { kind: 'answered', status, retryAfter, excerpt: '', durationMs: 1 };
};
const redirect = (status: number, location: string): FetchOutcome => {
  return { kind: 'answered', status, retryAfter: null, location, excerpt: '', durationMs: 1 };
};
const timeout: FetchOutcome = { kind: 'failed', reason: 'timeout', detail: 'ETIMEDOUT', durationMs: 15_000 };
const refusedAddress: FetchOutcome = { kind: 'failed', reason: 'refused_address', detail: 'X', durationMs: 1 };

const delivered: NextStep = { kind: 'delivered' };
const disable: NextStep = { kind: 'disable' };
const refused: NextStep = { kind: 'dead', reason: 'refused' };
const exhausted: NextStep = { kind: 'dead', reason: 'exhausted' };
const redirected: NextStep = { kind: 'redirected' };
const retry = (afterMs: number, askedMs = 0): NextStep => ({ kind: 'retry', afterMs, askedMs });

const table: [name: string, attempt: number, outcome: FetchOutcome, step: NextStep][] = [
  ['200 is delivered', 1, answered(200), delivered],
  ['204 is delivered', 10, answered(204), delivered],
  ['299 is delivered', 3, answered(299), delivered],
  ['302 to another page means handled', 1, redirect(302, 'https://shop.example.cl/thanks'), redirected],
  ['303 to another page means handled', 10, redirect(303, '/thanks'), redirected],
  ['302 to itself means handled', 2, redirect(302, 'http://shop.example.cl/callback?done=1'), redirected],
  ['302 without a Location means handled', 1, answered(302), redirected],
  ['302 to an invalid address means handled', 1, redirect(302, 'http://['), redirected],
  ['302 to the same page by https is a move', 1, redirect(302, 'https://shop.example.cl/callback'), retry(5 * second)],
  [
    '303 to the same page of www is a move',
    2,
    redirect(303, 'http://www.shop.example.cl/callback/'),
    retry(5 * minute),
  ],
  [
    '302 to the same page at another port is a move',
    10,
    redirect(302, 'http://shop.example.cl:81/callback'),
    exhausted,
  ],
  ['301 is a move wherever it leads', 3, redirect(301, '/thanks'), retry(30 * minute)],
  ['307 is a move', 1, redirect(307, 'https://shop.example.cl/thanks'), retry(5 * second)],
  ['304 fails', 2, answered(304), retry(5 * minute)],
  ['a redirect never becomes a refusal', 9, answered(308), retry(24 * hour)],
  ['410 disables at once', 1, answered(410), disable],
  ['410 disables at the last attempt too', 10, answered(410), disable],
  ['a first 400 is tried again', 1, answered(400), retry(5 * second)],
  ['a second 409 is tried again', 2, answered(409), retry(5 * minute)],
  ['a third 400 is final', 3, answered(400), refused],
  ['a third 409 is final', 3, answered(409), refused],
  ['422 after other failures is final', 7, answered(422), refused],
  ['404 runs the whole schedule: a deploy passes', 3, answered(404), retry(30 * minute)],
  ['403 runs the whole schedule: a firewall passes', 9, answered(403), retry(24 * hour)],
  ['401 ends with the schedule', 10, answered(401), exhausted],
  ['408 is never final before the schedule ends', 3, answered(408), retry(30 * minute)],
  ['429 is never final before the schedule ends', 9, answered(429), retry(24 * hour)],
  ['500 keeps to the schedule', 4, answered(500), retry(2 * hour)],
  ['503 ends with the schedule', 10, answered(503), exhausted],
  ['a time-out keeps to the schedule', 1, timeout, retry(5 * second)],
  ['a time-out ends with the schedule', 10, timeout, exhausted],
  ['a refused address is checked again later', 5, refusedAddress, retry(5 * hour)],
  ['Retry-After in seconds is honoured', 1, answered(429, '120'), retry(2 * minute, 2 * minute)],
  ['Retry-After as a date is honoured', 1, answered(503, 'Sun, 01 Mar 2026 13:00:00 GMT'), retry(hour, hour)],
  ['Retry-After never hurries the schedule', 4, answered(503, '1'), retry(2 * hour, second)],
  ['Retry-After in the past changes nothing', 1, answered(503, 'Sun, 01 Mar 2026 11:00:00 GMT'), retry(5 * second)],
  ['Retry-After is capped at 24 hours', 1, answered(503, '999999999999999999999999'), retry(24 * hour, 24 * hour)],
  ['a far date is capped too', 1, answered(503, 'Fri, 01 Mar 2126 12:00:00 GMT'), retry(24 * hour, 24 * hour)],
  ['Retry-After does not prolong the schedule', 10, answered(503, '60'), exhausted],
  ['Retry-After does not turn a refusal into a retry', 3, answered(400, '60'), refused],
  ['an unreadable Retry-After changes nothing', 1, answered(503, 'soon'), retry(5 * second)],
  ['a negative Retry-After changes nothing', 1, answered(503, '-5'), retry(5 * second)],
  ['an impossible date changes nothing', 1, answered(503, 'Sun, 99 Foo 2026 13:00:00 GMT'), retry(5 * second)],
];

for (const [name, attempt, outcome, step] of table) {
  test(`${name} (attempt ${attempt})`, () => {
    assert.deepEqual(
      nextStep({ url: URL_CALLBACK, attempt, outcome }, () => 0, now),
      step,
    );
  });
}

test('the schedule has the published number of attempts and the published duration', () => {
  const total = retrySchedule.reduce((sum, wait) => sum + wait);
  assert.equal(retrySchedule.length, 10);
  assert.equal(total, 75 * hour + 35 * minute + 5 * second);
});

test('jitter makes a wait up to a tenth longer and never shorter', () => {
  for (let attempt = 1; attempt <= 9; attempt++) {
    const scheduled = retrySchedule[attempt] as number;
    for (const random of [0, 0.25, 0.5, 0.999_999]) {
      const step = nextStep({ url: URL_CALLBACK, attempt, outcome: timeout }, () => random, now);
      assert.ok(step.kind === 'retry' && step.afterMs >= scheduled && step.afterMs <= scheduled * 1.1);
    }
  }
});
