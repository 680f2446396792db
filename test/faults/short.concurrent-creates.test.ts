import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { whyMissing } from '../support/system-programs.ts';
import { createConcurrently } from './concurrent-creates.ts';
import { checkHistory, type Operation, type StoredRow } from './linearizability.ts';

/** The short form of concurrent-creates.fault.ts. */
test('four replicas create every reference once while the database and a replica crash', {
  skip: whyMissing('initdb') ?? false,
}, async () => {
  const options = { operations: 600, databaseCrashes: 1, kills: 1, random: createSeededRandom(1) };
  const result = await createConcurrently(options);
  assert.deepEqual(result.violations, []);
  assert.ok(result.unknown + result.refused > 0, 'the faults hit requests');
});

/**
 * Small histories of the reference `r`: `create(1, 2, 'created', 1)` runs from moment 1 to 2 and returns id 1. The
 * first cases are correct; each further case has one thing that must never happen.
 */
const row = { id: 1, reference: 'r', amount: 5_000, events: 1 };
const created = create(1, 2, 'created', 1);

const histories: { name: string; history: Operation[]; rows: StoredRow[]; found: string[] }[] = [
  { name: 'a create and its replay', history: [created, create(3, 4, 'replayed', 1)], rows: [row], found: [] },
  {
    name: 'a replay that began before the create ended',
    history: [created, create(1, 3, 'replayed', 1)],
    rows: [row],
    found: [],
  },
  { name: 'a conflict', history: [created, create(3, 4, 'conflict', 1, 7_000)], rows: [row], found: [] },
  { name: 'an unknown create that was stored', history: [create(1, null, 'unknown', null)], rows: [row], found: [] },
  { name: 'an unknown create that was not stored', history: [create(1, null, 'unknown', null)], rows: [], found: [] },
  { name: 'two rows of one reference', history: [created], rows: [row, { ...row, id: 2 }], found: ['C1'] },
  { name: 'two creations', history: [created, create(1, 2, 'created', 1)], rows: [row], found: ['C2'] },
  { name: 'a lost row', history: [created], rows: [], found: ['C3'] },
  { name: 'another id', history: [create(1, 2, 'created', 2)], rows: [row], found: ['C4'] },
  {
    name: 'a replay of other fields',
    history: [created, create(3, 4, 'replayed', 1, 7_000)],
    rows: [row],
    found: ['C5'],
  },
  { name: 'a conflict with itself', history: [created, create(3, 4, 'conflict', 1)], rows: [row], found: ['C5'] },
  { name: 'a row without its event', history: [created], rows: [{ ...row, events: 0 }], found: ['C6'] },
  {
    name: 'a transaction absent after its creation',
    history: [created, read(3, 4, 'absent', null)],
    rows: [row],
    found: ['C7'],
  },
  {
    name: 'an error outside the catalogue',
    history: [created, { ...read(3, 4, 'nonsense', null), detail: '500' }],
    rows: [row],
    found: ['C8'],
  },
  {
    name: 'a transaction seen before its request',
    history: [read(1, 2, 'found', 1), create(3, 4, 'replayed', 1)],
    rows: [row],
    found: ['C9'],
  },
  { name: 'a row without a request', history: [], rows: [row], found: ['C10'] },
  {
    name: 'a row with fields of no request',
    history: [create(1, null, 'unknown', null, 7_000)],
    rows: [row],
    found: ['C10'],
  },
  { name: 'a row of a refused request', history: [create(1, 2, 'refused', null)], rows: [row], found: ['C10'] },
];

describe('the checker of histories', () => {
  for (const { name, history, rows, found } of histories) {
    test(found.length === 0 ? `accepts ${name}` : `finds ${name}`, () => {
      const codes = checkHistory(history, rows).map((problem) => problem.split(' ')[0]);
      assert.deepEqual([...new Set(codes)], found);
    });
  }
});

function create(
  start: number,
  end: number | null,
  outcome: Operation['outcome'],
  id: number | null,
  amount = 5_000,
): Operation {
  return {
    kind: 'create',
    reference: 'r',
    amount,
    start: BigInt(start),
    end: end === null ? null : BigInt(end),
    outcome,
    id,
  };
}

function read(start: number, end: number, outcome: Operation['outcome'], id: number | null): Operation {
  return { ...create(start, end, outcome, id, 0), kind: 'read' };
}
