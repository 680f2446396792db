import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { createAnswerMeter } from '../../src/lib/answer-meter.ts';

test('answers are counted by route and status, and their times add up in the buckets', async () => {
  const registry = new Registry();
  const answered = createAnswerMeter(registry, 'answers_total', 'answer_seconds');
  answered('/trxs', 200, 0.5);
  answered('/trxs', 200, 1);
  answered('/trxs', 401, 30);
  answered('/pay/:token', 200, 6_000);
  const text = await registry.metrics();
  const lines = [
    'answers_total{route="/trxs",status="200"} 2',
    'answers_total{route="/trxs",status="401"} 1',
    'answers_total{route="/pay/:token",status="200"} 1',
    '# TYPE answer_seconds histogram',
    'answer_seconds_bucket{le="0.001",route="/trxs"} 2',
    'answer_seconds_bucket{le="0.025",route="/trxs"} 2',
    'answer_seconds_bucket{le="0.05",route="/trxs"} 3',
    'answer_seconds_bucket{le="+Inf",route="/trxs"} 3',
    'answer_seconds_sum{route="/trxs"} 0.0315',
    'answer_seconds_count{route="/trxs"} 3',
    'answer_seconds_bucket{le="5",route="/pay/:token"} 0',
    'answer_seconds_bucket{le="+Inf",route="/pay/:token"} 1',
  ];
  for (const line of lines) assert.ok(text.includes(`${line}\n`), `${line}\nis not in\n${text}`);
});

test('the registry has the metric before the first answer', async () => {
  const registry = new Registry();
  createAnswerMeter(registry, 'answers_total', 'answer_seconds');
  assert.match(await registry.metrics(), /# TYPE answers_total counter\n/);
});
