import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { measureProcess } from '../../src/lib/meters.ts';
import { createMetrics } from '../../src/metrics.ts';

type Panel = { title: string; targets: { expr: string }[] };

const text = readFileSync(join(import.meta.dirname, '../../docs/dashboard.json'), 'utf8');
const { panels } = JSON.parse(text) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));

/** Returns the names under which Prometheus stores the metrics. A histogram has three. */
async function storedNames(): Promise<Map<string, string>> {
  const { registry } = createMetrics();
  measureProcess(registry);
  const metrics = await registry.getMetricsAsJSON();
  return new Map(
    metrics.flatMap(({ name, type }) => {
      // The types of the package declare a number, but the value is the word of the text format.
      const parts = String(type) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      return parts.map((part): [string, string] => [name + part, name]);
    }),
  );
}

const metricsIn = (expression: string) => expression.match(/\b(?:rubrica|process|nodejs)_\w+/g) ?? [];

test('every panel of the dashboard uses metrics that exist', async () => {
  const stored = await storedNames();
  assert.ok(queries.length > 0);
  for (const { title, expr } of queries) {
    const names = metricsIn(expr);
    assert.ok(names.length > 0, `${title} queries a metric`);
    for (const name of names) assert.ok(stored.has(name), `${title} queries ${name}, which must be a metric`);
  }
});

test('every metric of the service is on the dashboard', async () => {
  const stored = await storedNames();
  const shown = new Set(queries.flatMap(({ expr }) => metricsIn(expr)).map((name) => stored.get(name)));
  const missing = [...new Set(stored.values())].filter((name) => name.startsWith('rubrica_') && !shown.has(name));
  assert.deepEqual(missing, [], 'every metric is in a panel of docs/dashboard.json');
});
