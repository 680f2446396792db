import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { forgetLoading } from '../../src/lib/forget-loading.ts';

test('unreferenced objects are collected', async () => {
  const refs = Array.from({ length: 10 }, () => new WeakRef({ text: 'x'.repeat(1000) }));
  await nextTurn();
  forgetLoading();
  assert.deepEqual(
    refs.map((ref) => ref.deref()),
    refs.map(() => undefined),
  );
});
