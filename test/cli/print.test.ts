import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../src/cli/print.ts';

test('a table of a month of a large shop, which reconcile prints, ended with an error', () => {
  const lines = table([['ENTRY', 'KIND'], ...Array.from({ length: 200_000 }, (_, at) => [`1/${at}.0`, 'payment'])]);
  assert.equal(lines.length, 200_001);
  assert.equal(lines[0], 'ENTRY       KIND');
  assert.equal(lines.at(-1), '1/199999.0  payment');
});
