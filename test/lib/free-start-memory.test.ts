import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { freeStartMemory } from '../../src/lib/free-start-memory.ts';

test('unreferenced objects are collected', async () => {
  const refs = Array.from({ length: 10 }, () => new WeakRef({ text: 'x'.repeat(1000) }));
  await nextTurn();
  freeStartMemory();
  assert.deepEqual(
    refs.map((ref) => ref.deref()),
    refs.map(() => undefined),
  );
});
