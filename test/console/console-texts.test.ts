import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOMS } from '../../src/console/console-texts.ts';

test('two rooms of the console had a text of the same name, and one said what the other meant', () => {
  const keys = ROOMS.flatMap((room) => Object.keys(room.es));
  assert.ok(keys.length > 500);
  assert.deepEqual(
    keys.filter((key, at) => keys.indexOf(key) !== at),
    [],
  );
});

test('every text is there in both languages', () => {
  for (const room of ROOMS) assert.deepEqual(Object.keys(room.es).toSorted(), Object.keys(room.en).toSorted());
});
