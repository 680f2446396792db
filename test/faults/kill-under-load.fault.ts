import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { startOnBigStore } from './big-store.ts';
import { ACKNOWLEDGED_PER_KILL, killUnderLoad } from './kill-under-load.ts';
import { report } from './support/report.ts';

/** The promise of docs/reliability.md. */
const READY_MS = 2_000;
const KILLS = Number(process.env.FAULT_KILLS ?? 200);

test(`${KILLS} kills under load lose nothing and duplicate nothing`, async () => {
  const result = await killUnderLoad({ kills: KILLS, random: createSeededRandom(1) });
  report('kill -9 under load', { ...result, problems: result.problems.length });
  assert.deepEqual(result.problems, []);
  assert.ok(result.open > 0, 'the kills interrupted requests');
  assert.ok(result.acknowledged >= ACKNOWLEDGED_PER_KILL * KILLS, 'there was load');
  assert.ok(result.slowestStartMs <= READY_MS, `ready again after ${result.slowestStartMs} ms`);
});

test('a store of a million transactions with a long write-ahead log is ready within two seconds', async () => {
  const result = await startOnBigStore(1_000_000);
  report('big store', result);
  assert.ok(result.logMegabytes >= 12, 'there was a log to read');
  assert.ok(result.readyMs <= READY_MS, `ready after ${result.readyMs} ms`);
});

test('catches the planted bug: reads the whole store at its start', async () => {
  const { readyMs } = await startOnBigStore(1_000_000, 'reads the whole store at its start');
  report('reads the whole store at its start', { readyMs });
  assert.ok(readyMs > READY_MS);
});

test('catches the planted bug: reply before commit', async () => {
  const result = await killUnderLoad({ kills: 10, plant: 'reply before commit', random: createSeededRandom(2) });
  const lost = result.problems.filter((problem) => problem.startsWith('lost'));
  report('reply before commit', { kills: result.kills, acknowledged: result.acknowledged, lost: lost.length });
  assert.ok(lost.length > 0);
});
