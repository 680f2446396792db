import assert from 'node:assert/strict';
import test from 'node:test';
import {
  CALLBACK_FIELDS,
  KNOWN_NAMES,
  REQUEST_FIELDS,
  SIGNATURE_FIELD,
  sharedName,
  UNSIGNED_FIELDS,
} from '../../protocol/field-names.ts';

/** Returns the names that would make a message ambiguous, by the two halves of rule 2. */
function shapeFaults(names: readonly string[]): string[] {
  const faults: string[] = [];
  for (const name of names) {
    if (name.lastIndexOf('x') !== 0) faults.push(`${name}: x must be the first letter and no other`);
    for (const other of names) {
      if (other !== name && other.startsWith(name)) faults.push(`${name} is a prefix of ${other}`);
    }
  }
  return faults;
}

test('the closed sets are ten request fields, nine callback fields, four unsigned objects and the signature', () => {
  assert.equal(REQUEST_FIELDS.length, 10);
  assert.equal(CALLBACK_FIELDS.length, 9);
  assert.equal(UNSIGNED_FIELDS.length, 4);
  assert.equal(KNOWN_NAMES.length, 20);
  assert.ok(KNOWN_NAMES.includes(SIGNATURE_FIELD));
});

test('the signed names are listed in the order of the message', () => {
  assert.deepEqual([...REQUEST_FIELDS].sort(), REQUEST_FIELDS);
  assert.deepEqual([...CALLBACK_FIELDS].sort(), CALLBACK_FIELDS);
});

test('no known name is a prefix of another, and x is only ever the first letter', () => {
  assert.deepEqual(shapeFaults(KNOWN_NAMES), []);
});

for (const added of ['x_amount_usd', 'x_url', 'x_max', 'x_tax_rate']) {
  test(`the shape check refuses ${added}`, () => {
    assert.notDeepEqual(shapeFaults([...KNOWN_NAMES, added]), []);
  });
}

test('a known name is returned as one shared string, and an unknown name unchanged', () => {
  for (const name of KNOWN_NAMES) assert.equal(sharedName(`_${name}`.slice(1)), name);
  assert.equal(sharedName('x_amounts'), 'x_amounts');
  assert.equal(sharedName(''), '');
});
