import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCircuitBreaker } from '../../src/validation-providers/circuit-breaker.ts';

test('a breaker opens after the failures in a row, and lets one call through after each pause', () => {
  let now = 0;
  const breaker = createCircuitBreaker({ failures: 2, pauseMs: 100, now: () => now });
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  assert.equal(breaker.allows(), true);
  breaker.failed();
  assert.equal(breaker.allows(), false);

  now = 100;
  assert.equal(breaker.allows(), true, 'one trial is allowed');
  assert.equal(breaker.allows(), false, 'a second trial must wait for the first');
  breaker.failed();
  now = 199;
  assert.equal(breaker.allows(), false);

  now = 200;
  assert.equal(breaker.allows(), true);
  breaker.succeeded();
  assert.equal(breaker.allows(), true);
  assert.equal(breaker.allows(), true, 'a success closes the breaker');
});
