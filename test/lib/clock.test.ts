import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';

const noon = 1_800_000_000_000;

function fakeSources() {
  const at = { wall: noon, monotonic: 5_000 };
  return { at, sources: { wall: () => at.wall, monotonic: () => at.monotonic } };
}

test('the clock starts at the wall time and then only counts elapsed time', () => {
  const { at, sources } = fakeSources();
  const now = systemClock(sources);
  assert.equal(now(), noon);
  at.monotonic += 250.75;
  assert.equal(now(), noon + 250);
});

for (const jump of [-3_600_000, 3_600_000, 400 * 86_400_000]) {
  test(`setting the wall clock by ${jump} ms does not move the clock`, () => {
    const { at, sources } = fakeSources();
    const now = systemClock(sources);
    at.wall += jump;
    at.monotonic += 10;
    assert.equal(now(), noon + 10);
  });
}

test('anchored to a later time, the clock jumps there', () => {
  const { at, sources } = fakeSources();
  const now = systemClock(sources);
  now();
  now.anchor(noon + 60_000);
  assert.equal(now(), noon + 60_000);
  at.monotonic += 5;
  assert.equal(now(), noon + 60_005);
});

test('anchored to an earlier time, the clock runs at half speed until it agrees, and never backwards', () => {
  const { at, sources } = fakeSources();
  const now = systemClock(sources);
  now();
  now.anchor(noon - 1_000);
  const seen = [now()];
  for (let i = 0; i < 3; i++) {
    at.monotonic += 1_000;
    seen.push(now());
  }
  assert.deepEqual(
    seen.map((time) => time - noon),
    [0, 500, 1_000, 2_000],
  );
});

test('an earlier anchor is applied directly before the first reading', () => {
  const now = systemClock(fakeSources().sources);
  now.anchor(noon - 3_600_000);
  assert.equal(now(), noon - 3_600_000);
});

test('ten thousand readings and random anchors never go backwards', () => {
  const { at, sources } = fakeSources();
  const now = systemClock(sources);
  let last = now();
  for (let i = 0; i < 10_000; i++) {
    at.monotonic += (i * 7919) % 13;
    if (i % 17 === 0) now.anchor(last + ((i * 104_729) % 4_001) - 2_000);
    const time = now();
    assert.ok(Number.isInteger(time) && time >= last);
    last = time;
  }
});

test('the real clock agrees with the machine’s', () => {
  assert.ok(Math.abs(systemClock()() - Date.now()) < 5_000);
});

test('the clock says how far the machine’s has moved away from it', () => {
  let wall = 1_000_000;
  let elapsed = 0;
  const clock = systemClock({ wall: () => wall, monotonic: () => elapsed });
  [wall, elapsed] = [wall + 500, elapsed + 500];
  clock.travel?.(86_400_000);
  assert.equal(clock.behind?.(), 0);
  wall += 7_200_000;
  assert.equal(clock.behind?.(), 7_200_000);
  wall -= 9_000_000;
  assert.equal(clock.behind?.(), -1_800_000);
});
