import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { whyMissing } from '../support/system-programs.ts';
import { type ConcurrentReport, createConcurrently } from './concurrent-creates.ts';
import type { PlantName } from './plants.ts';
import { report } from './support/report.ts';

const OPERATIONS = Number(process.env.FAULT_OPERATIONS ?? 48_000);
const skip = whyMissing('initdb') ?? false;

describe('four replicas on one PostgreSQL', { skip }, () => {
  test('create every reference once during crashes of replicas and the database', async () => {
    const random = createSeededRandom(1);
    const options = { operations: OPERATIONS, databaseCrashes: 10, kills: 4, random };
    const result = await createConcurrently(options);
    show('concurrent creates', result);
    assert.deepEqual(result.violations, []);
    assert.ok(result.unknown > 0 && result.refused > 0, 'the faults hit requests');
  });

  test('lose nothing on a server with synchronous_commit=off', async () => {
    const options = { operations: 6_000, kills: 0, random: createSeededRandom(2), databaseCrashes: 4 };
    const result = await createConcurrently({
      ...options,
      databaseOptions: '-c synchronous_commit=off',
    });
    show('synchronous_commit=off', result);
    assert.deepEqual(result.violations, []);
  });

  const plants: { name: string; plant?: PlantName; databaseOptions?: string; databaseCrashes: number }[] = [
    { name: 'select, then insert', plant: 'select, then insert', databaseCrashes: 0 },
    { name: 'no row returned is created', plant: 'no row returned is created', databaseCrashes: 0 },
    { name: 'reply before commit', plant: 'reply before commit', databaseCrashes: 2 },
    { name: 'ends with its database connection', plant: 'ends with its database connection', databaseCrashes: 1 },
    {
      name: 'commits as the server is set',
      plant: 'commits as the server is set',
      databaseOptions: '-c synchronous_commit=off',
      databaseCrashes: 4,
    },
  ];
  for (const { name, ...planted } of plants) {
    test(`catch the planted bug: ${name}`, async () => {
      const options = { operations: 6_000, kills: 0, random: createSeededRandom(2), ...planted };
      const result = await createConcurrently(options);
      show(name, result);
      assert.notDeepEqual(result.violations, []);
    });
  }
});

function show(name: string, { violations, ...counts }: ConcurrentReport): void {
  report(name, { ...counts, violations: violations.length, first: violations[0] ?? 'none' });
}
