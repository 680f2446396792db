import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bankFindings } from '../../../src/bank-validation/bank-findings.ts';
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

  const malformed: [code: unknown, suggested: string | null][] = [
    ['1', '001'],
    ['17', '017'],
    ['12', '012'],
    ['2', null],
    ['', null],
    ['0012', '012'],
    [' 01', '001'],
    ['01 ', '001'],
    ['012 ', '012'],
    ['BancoEstado', '012'],
    ['Cuenta RUT', '012'],
    ['Bco. Itaú', '039'],
    ['Corpbanca', '027'],
    ['Banco', null],
    ['Banco Paris', null],
    ['Falabela', null],
    ['abc', null],
    ['1e2', null],
    ['-12', null],
    ['٠٠١', null],
    ['012\n', '012'],
    ['1'.repeat(10_000), null],
    ['__proto__', null],
    [12, null],
    [null, null],
    [undefined, null],
    [['012'], null],
  ];
  for (const [code, suggested] of malformed) {
    const shown = code === undefined ? 'undefined' : JSON.stringify(code).slice(0, 20);
    const title = suggested === null ? '' : `; ${suggested} is suggested`;
    test(`${shown} is no code${title}`, () => {
      assert.deepEqual(findBank(directory, code), { found: 'bad_format', code: null });
      const [first] = bankFindings(directory, code).suggestions;
      assert.equal(first?.value ?? null, suggested);
      const name = directory.banks.get(suggested ?? '')?.name ?? '';
      const said = `Send ${suggested}, the code of ${name.replace(/\.$/, '')}.`;
      if (suggested !== null) assert.equal(first?.message.en, said);
    });
  }
});
