import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../src/metrics.ts';

test('the depth of every watched queue is read when somebody asks', async () => {
  const { registry, watchQueue } = createMetrics();
  let depth = 1;
  watchQueue('transactions', { depth: () => depth });
  depth = 7;
  const text = await registry.getSingleMetricAsString('rubrica_queue_depth');
  assert.match(text, /^rubrica_queue_depth\{queue="transactions"\} 7$/m);
});

test('the delay of the event loop is shown', async () => {
  const { registry } = createMetrics();
  assert.match(await registry.metrics(), /^nodejs_eventloop_lag_p99_seconds \d/m);
});
