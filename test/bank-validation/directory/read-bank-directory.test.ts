import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import shippedList from '../../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { shippedBankDirectory } from '../../../src/bank-validation/directory/current-directory.ts';
import { readBankDirectory } from '../../../src/bank-validation/directory/read-bank-directory.ts';

type Entry = Record<string, unknown>;

suite('readBankDirectory', () => {
  test('the shipped list passes its own rules', () => {
    assert.deepEqual(directoryOf(shippedList), shippedBankDirectory);
  });

  test('a list with sources and notes is read, and the same facts give the same version', () => {
    const banks = shippedList.banks.map((bank) => ({
      ...bank,
      sources: ['a list'],
      note: 'seen',
      rut: null,
      rutSource: null,
    }));
    const read = directoryOf({ ...shippedList, sources: { a: {} }, nonSbifIdentifiers: {}, banks });
    assert.equal(read.version, shippedBankDirectory.version);
  });

  test('a newer list may add an issuer and merge a bank', () => {
    const merged = changed('053', {
      status: 'merged',
      successor: '051',
      effective: '2027-01-01',
      transferReachable: 'legacy',
    });
    const list = { ...merged, meta: { asOf: '2027-01' }, banks: [...merged.banks, entry('750', 'Prepago Nuevo S.A.')] };
    const read = directoryOf(list);
    assert.equal(read.asOf, '2027-01');
    assert.equal(read.banks.get('053')?.successor, '051');
    assert.equal(read.banks.get('750')?.name, 'Prepago Nuevo S.A.');
  });

  test('the name of a merged bank may move to its successor', () => {
    directoryOf(changed('028', { aliases: ['BICE', 'Banco Security'] }));
  });

  suite('a known wrong pair is never accepted', () => {
    for (const { code, wrongName } of shippedList.knownWrongPairs) {
      const spellings = [
        wrongName,
        wrongName.toUpperCase(),
        wrongName.normalize('NFD').replace(/\p{M}/gu, ''),
        `Banco ${wrongName} Chile S.A.`,
        wrongName.replaceAll(' ', '-'),
      ];
      for (const name of spellings) {
        test(`${code} as ${name}`, () => {
          assert.ok(codesOf(withEntry(entry(code, name))).includes('BANK_LIST_WRONG_PAIR'));
        });
      }
      test(`${code} as an alias ${wrongName}`, () => {
        assert.ok(
          codesOf(withEntry({ ...entry(code, 'Banco Cualquiera'), aliases: ['x', wrongName] })).includes(
            'BANK_LIST_WRONG_PAIR',
          ),
        );
      });
      test(`${code} as ${wrongName} in a list without the other members`, () => {
        assert.ok(codesOf({ banks: [{ code, name: wrongName }] }).includes('BANK_LIST_WRONG_PAIR'));
      });
    }
  });

  suite('the name of one institution is not accepted at the code of another', () => {
    const pairs = [
      ['012', 'Scotiabank'],
      ['016', 'Santander'],
      ['001', 'BCI'],
      ['037', 'Banco de Chile'],
      ['730', 'Mercado Pago'],
      ['750', 'BancoEstado'],
    ] as const;
    for (const [code, name] of pairs) {
      test(`${code} as ${name}`, () =>
        assert.deepEqual(codesOf(withEntry(entry(code, name))), ['BANK_LIST_NAME_CONFLICT']));
    }
  });

  test('a rejected code is not accepted as a bank', () => {
    for (const { code } of shippedList.rejectedCodes) {
      assert.deepEqual(codesOf(withEntry(entry(code, 'Banco Cualquiera'))), ['BANK_LIST_REJECTED_CODE']);
    }
  });

  test('a duplicate code is reported with its place', () => {
    const banks = [entry('981', 'Banco Uno'), entry('982', 'Banco Dos'), entry('981', 'Banco Tres')];
    const reading = readBankDirectory({ ...shippedList, banks });
    assert.ok('problems' in reading);
    assert.deepEqual(reading.problems, [
      { pointer: '/banks/2/code', code: 'BANK_LIST_DUPLICATE_CODE', message: 'Code 981 is already entry 0.' },
    ]);
  });

  const successors: [name: string, list: unknown][] = [
    ['a merged bank without a successor', changed('049', { successor: null })],
    ['a successor that is not in the list', changed('049', { successor: '750' })],
    ['a bank that is its own successor', changed('049', { successor: '049' })],
    ['a successor that has merged itself', changed('049', { successor: '027' })],
    ['a successor that is closed', changed('049', { successor: '017' })],
    ['an active bank with a successor', changed('028', { successor: '001' })],
  ];
  for (const [name, list] of successors) {
    test(`${name} is refused`, () => assert.deepEqual(codesOf(list), ['BANK_LIST_BAD_SUCCESSOR']));
  }

  const malformed: [name: string, list: unknown][] = [
    ['null', null],
    ['a number', 7],
    ['an array', shippedList.banks],
    ['an empty list', { ...shippedList, banks: [] }],
    ['no date', { ...shippedList, meta: {} }],
    ['an invalid date', { ...shippedList, meta: { asOf: 'yesterday' } }],
    ['an unknown member', { ...shippedList, extra: 1 }],
    ['a code of two digits', withEntry(entry('17', 'Banco Nuevo'))],
    ['a code as a number', withEntry({ ...entry('750', 'Banco Nuevo'), code: 750 })],
    ['a name that is a line break', withEntry(entry('750', '\n'))],
    ['an empty name', withEntry(entry('750', ''))],
    ['an unknown status', withEntry({ ...entry('750', 'Banco Nuevo'), status: 'open' })],
    ['an unknown kind', withEntry({ ...entry('750', 'Banco Nuevo'), kind: 'wallet' })],
    ['an unknown member of an entry', withEntry({ ...entry('750', 'Banco Nuevo'), transfers: 'yes' })],
    ['an entry that is null', { ...shippedList, banks: [null] }],
  ];
  for (const [name, list] of malformed) {
    test(`${name} is refused as malformed`, () => assert.deepEqual([...new Set(codesOf(list))], ['BANK_LIST_INVALID']));
  }

  test('all problems are reported at once', () => {
    const banks = [entry('009', 'Santander'), { code: '12' }];
    const codes = codesOf({ banks });
    assert.ok(codes.filter((code) => code === 'BANK_LIST_INVALID').length > 2);
    assert.ok(codes.includes('BANK_LIST_WRONG_PAIR'));
  });
});

function entry(code: string, name: string): Entry {
  return { code, name, kind: 'bank', status: 'active', transferReachable: 'yes', confidence: 'high' };
}

/** Returns the shipped list with this entry, which replaces the one with the same code. */
function withEntry(added: Entry) {
  const banks = shippedList.banks.filter(({ code }) => code !== added['code']);
  // Without the merged banks no entry needs the replaced one as its successor.
  return { meta: shippedList.meta, banks: [...banks.filter((bank) => !('successor' in bank)), added] };
}

function changed(code: string, members: Entry) {
  return {
    ...shippedList,
    banks: shippedList.banks.map((bank) => (bank.code === code ? { ...bank, ...members } : bank)),
  };
}

function directoryOf(list: unknown) {
  const reading = readBankDirectory(list);
  assert.ok('directory' in reading, JSON.stringify(reading));
  return reading.directory;
}

function codesOf(list: unknown): string[] {
  const reading = readBankDirectory(list);
  assert.ok('problems' in reading, 'the list is refused');
  return reading.problems.map(({ code }) => code);
}
