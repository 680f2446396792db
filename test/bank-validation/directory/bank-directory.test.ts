import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import shippedList from '../../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { findBank } from '../../../src/bank-validation/directory/bank-directory.ts';
import { shippedBankDirectory as directory } from '../../../src/bank-validation/directory/current-directory.ts';

suite('findBank', () => {
  test('every shipped code is found with its status and successor', () => {
    for (const entry of shippedList.banks) {
      const lookup = findBank(directory, entry.code);
      assert.ok(lookup.found === 'bank');
      assert.deepEqual(
        [lookup.bank.name, lookup.bank.status, lookup.bank.successor],
        [entry.name, entry.status, 'successor' in entry ? entry.successor : null],
      );
    }
  });

  test('a rejected code is never a bank', () => {
    for (const { code } of shippedList.rejectedCodes) assert.equal(findBank(directory, code).found, 'rejected');
  });

  test('an unlisted three-digit code is unknown', () => {
    assert.deepEqual(findBank(directory, '000'), { found: 'nothing', code: '000' });
    assert.deepEqual(findBank(directory, '999'), { found: 'nothing', code: '999' });
  });

  const malformed: [code: unknown, padded: string | null][] = [
    ['1', '001'],
    ['17', '017'],
    ['12', '012'],
    ['2', null],
    ['', null],
    ['0012', null],
    [' 01', null],
    ['01 ', null],
    ['abc', null],
    ['1e2', null],
    ['-12', null],
    ['٠٠١', null],
    ['012\n', null],
    ['__proto__', null],
    [12, null],
    [null, null],
    [undefined, null],
    [['012'], null],
  ];
  for (const [code, padded] of malformed) {
    test(`${JSON.stringify(code)} is no code${padded === null ? '' : `; ${padded} is suggested`}`, () => {
      assert.deepEqual(findBank(directory, code), { found: 'bad_format', code: null, padded });
    });
  }
});
