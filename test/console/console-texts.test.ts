import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTENTION_KINDS } from '../../src/attention/attention-kinds.ts';
import { TEXTS } from '../../src/checkout/texts.ts';
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

test('a text said something of a payment in one language and left it out in the other', () => {
  const valuesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(' ');
  for (const { es, en } of [...ROOMS, TEXTS] as readonly Record<'es' | 'en', Record<string, string>>[])
    for (const [key, text] of Object.entries(es)) assert.equal(valuesIn(text), valuesIn(en[key] ?? ''), key);
});

test('payouts and lines of statements that waited for a person were called by the name of their kind in the code', () => {
  const texts = new Set(ROOMS.flatMap((room) => Object.keys(room.es)));
  assert.deepEqual(
    ATTENTION_KINDS.map(({ kind }) => `attention.${kind}`).filter((key) => !texts.has(key)),
    [],
  );
});
