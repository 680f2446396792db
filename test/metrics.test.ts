import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { measureProcess } from '../src/lib/meters.ts';
import { createMetrics } from '../src/metrics.ts';

test('the depth of every watched queue is read at each scrape', async () => {
  const { registry, watchQueue } = createMetrics();
  let depth = 1;
  watchQueue('transactions', { depth: () => depth });
  depth = 7;
  const text = await registry.getSingleMetricAsString('rubrica_queue_depth');
  assert.match(text, /^rubrica_queue_depth\{queue="transactions"\} 7$/m);
});

test('the delay of the event loop is a metric', async () => {
  const { registry } = createMetrics();
  measureProcess(registry);
  assert.match(await registry.metrics(), /^nodejs_eventloop_lag_p99_seconds \d/m);
});

test('the process metrics are the same as prom-client’s default metrics', async () => {
  const [ours, theirs] = [createMetrics().registry, new Registry()];
  measureProcess(ours);
  collectDefaultMetrics({ register: theirs });
  const described = async (registry: Registry) =>
    new Map((await registry.getMetricsAsJSON()).map(({ name, help, type }) => [name, `${type}: ${help}`]));
  const found = await described(ours);
  const wanted = await described(theirs);
  assert.ok(wanted.size > 20);
  assert.deepEqual(new Map([...wanted.keys()].map((name) => [name, found.get(name)])), wanted);
  const seconds = async (kind: string) =>
    Number((await ours.getSingleMetricAsString(`process_cpu_${kind}seconds_total`)).match(/ ([\d.]+)$/m)?.[1]);
  assert.ok((await seconds('user_')) > 0 && (await seconds('')) >= (await seconds('user_')));
});
