import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { readAccount } from '../../../src/bank-validation/bank-account.ts';
import { codeOfBankName } from '../../../src/bank-validation/directory/bank-names.ts';
import { shippedBankDirectory as directory } from '../../../src/bank-validation/directory/current-directory.ts';
import { type RutFormat, readRut } from '../../../src/bank-validation/rut.ts';
import { type AccountCells, repairAccount } from '../../../src/bank-validation/tables/repair-account.ts';
import { REPAIR_RULES } from '../../../src/bank-validation/tables/repair-rules.ts';
import { checkCharacter } from '../../../src/lib/modulo-eleven.ts';

const RIGHT: AccountCells = { rut: '12531909-2', bank: '037', account: '1234509876', checkCharacter: null };

/** Each rule with the smallest change that it makes. `rutFormat` is the known format of the column. */
const MENDED: [rule: string, cell: Partial<AccountCells>, after: Partial<AccountCells>, rutFormat?: RutFormat][] = [
  ['FORMULA_TEXT', { account: '="00123456"' }, { account: '00123456' }],
  ['FORMULA_TEXT', { bank: '="037"' }, { bank: '037' }],
  ['SPACES', { rut: '\u00a012531909-2 ' }, { rut: '12531909-2' }],
  ['SPACES', { account: '12345\u200b09876' }, { account: '1234509876' }],
  ['APOSTROPHE', { account: "'0012345" }, { account: '0012345' }],
  ['APOSTROPHE', { bank: '’037' }, { bank: '037' }],
  ['DASHES', { rut: '12531909–2' }, { rut: '12531909-2' }],
  ['DASHES', { rut: '12.531.909\u22122' }, { rut: '12.531.909-2' }],
  ['DECIMAL_ZERO', { account: '1234509876.0' }, { account: '1234509876' }],
  ['DECIMAL_ZERO', { rut: '12531909', checkCharacter: '2.0' }, { rut: '12531909', checkCharacter: '2' }],
  ['RUT_SEPARATORS', { rut: '12,531,909-2' }, { rut: '12531909-2' }],
  ['RUT_SEPARATORS', { rut: '12-531-909-2' }, { rut: '12531909-2' }],
  ['RUT_SEPARATORS', { rut: '12531909 - 2' }, { rut: '12531909-2' }],
  ['RUT_SEPARATORS', { rut: '9068826 k' }, { rut: '9068826-K' }],
  ['RUT_CHECK_CHARACTER', { rut: '22883518' }, { rut: '22883518-8' }, 'without-dv'],
  ['RUT_HYPHEN', { rut: '125319092' }, { rut: '12531909-2' }],
  ['RUT_HYPHEN', { rut: '22883518' }, { rut: '2288351-8' }, 'with-dv'],
  ['BANK_ZEROS', { bank: '37' }, { bank: '037' }],
  ['BANK_ZEROS', { bank: '0037' }, { bank: '037' }],
  ['BANK_NAME', { bank: 'Falabella' }, { bank: '051' }],
  ['BANK_NAME', { bank: 'CuentaRUT' }, { bank: '012' }],
  // The list has this name without "Banco".
  ['BANK_NAME', { bank: 'Banco BCI' }, { bank: '016' }],
  ['BANK_NAME', { bank: 'Banco Itaú Corpbanca' }, { bank: '039' }],
  ['ACCOUNT_SEPARATORS', { account: '00-123-45678-09' }, { account: '001234567809' }],
  ['ACCOUNT_SEPARATORS', { account: '1234 5098 76' }, { account: '1234509876' }],
  ['ACCOUNT_SEPARATORS', { account: '1.234.509.876' }, { account: '1234509876' }],
];

/** Cells that must stay unchanged: a person has to decide, or the information is lost. */
const LEFT: [why: string, cell: Partial<AccountCells>, rutFormat?: RutFormat][] = [
  ['a RUT that two people could have', { rut: '22883518' }],
  ['the same behind a formula, an apostrophe and decimals', { rut: '="22883518"' }],
  ['the same with the decimals of a program', { rut: '22883518.0' }],
  ['a text that is a number with decimals or a RUT that ends with -0', { rut: '7000009.0' }, 'with-dv'],
  ['a point in an account that begins with zeros', { account: '0100.0' }],
  ['groups of three without a check character', { rut: '22 883 518' }],
  ['a wrong check character', { rut: '12531909–3' }],
  ['a RUT that has lost a digit', { rut: '1253190–2' }],
  ['two RUTs', { rut: '12531909-2 18972631-7' }],
  ['an account that a spreadsheet has destroyed', { account: '1,23E+11' }],
  // The account 1234567 in a cell that is formatted as a day.
  ['an account that a workbook shows as a day', { account: '5280-02-15' }],
  ['an account that a spreadsheet took for a day', { account: '01-12-2005' }],
  ['the same with two digits of the year', { account: '1-12-05' }],
  ['the same with the month first', { account: '12-31-2005' }],
  ['decimals of an account', { account: '12345.67' }],
  ['one point: decimals, or thousands', { account: '123.456' }],
  ['two accounts', { account: '12345678 87654321' }],
  ['two accounts with a slash', { account: '12345678/87654321' }],
  ['the whole RUT in the place of the account', { bank: '012', account: '12.531.909-2' }],
  ['the whole RUT without its points', { bank: '012', account: '12531909-2' }],
  ['a code that no bank has', { bank: '998' }],
  ['two banks', { bank: 'Santander / BCI' }],
  ['a code and the name of another bank', { bank: '051 Santander' }],
  ['a bank that is closed', { bank: 'Banco Paris' }],
  ['a name that a bank and its successor do not share', { bank: 'Banco Tenpo' }],
  ['an account that may mean 1100-0', { account: '1100.0' }],
  ['an empty row', { bank: '', account: '', rut: '' }],
];

suite('repairing a row', () => {
  for (const [rule, cell, after, rutFormat = null] of MENDED) {
    test(`${rule} turns ${JSON.stringify(Object.values(cell))} into ${JSON.stringify(Object.values(after))}`, () => {
      const { cells, repairs } = repairAccount({ ...RIGHT, ...cell }, { directory, rutFormat });
      assert.deepEqual(cells, { ...RIGHT, ...after });
      assert.deepEqual(
        repairs.map((repair) => repair.rule),
        [rule],
      );
    });
  }

  test('every rule has an example in the table', () => {
    assert.deepEqual(new Set(MENDED.map(([rule]) => rule)), new Set(REPAIR_RULES.map(({ id }) => id)));
  });

  for (const [why, cell, rutFormat = null] of LEFT) {
    test(`${why} is left unchanged: ${JSON.stringify(Object.values(cell))}`, () => {
      const row = { ...RIGHT, ...cell };
      assert.deepEqual(repairAccount(row, { directory, rutFormat }), { cells: row, repairs: [] });
    });
  }

  test('every name and alias of an operating bank is read as that bank or not at all', () => {
    for (const { code, name, aliases, status } of directory.banks.values()) {
      for (const text of [name, ...aliases].flatMap((one) => [one, one.toUpperCase(), one.normalize('NFD')])) {
        const found = codeOfBankName(directory, text);
        const became = directory.banks.get(code)?.successor ?? null;
        assert.ok(found === null || found === code || found === became, `${text} is ${found}`);
        if (status === 'active') assert.equal(found, code, text);
      }
    }
  });

  test('no damage by programs or people turns a row into another person’s', () => {
    fc.assert(
      fc.property(anyRow, anyRutDamage, anyDamage, anyDamage, (row, onRut, onBank, onAccount) => {
        const cells = {
          rut: onRut.reduce((text, damage) => damage(text), row.rut),
          bank: onBank.reduce((text, damage) => damage(text), row.bank),
          account: onAccount.reduce((text, damage) => damage(text), row.account),
          checkCharacter: null,
        };
        const mended = repairAccount(cells, { directory, rutFormat: null }).cells;
        const rut = readRut(mended.rut.trim());
        if (rut.valid) assert.equal(rut.canonical, row.rut, cells.rut);
        if (directory.banks.has(mended.bank)) assert.equal(mended.bank, row.bank, cells.bank);
        const account = readAccount(mended.account);
        if (account.valid && mended.account !== cells.account) {
          assert.equal(account.significant, row.account.replace(/^0+/, ''), cells.account);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('a repaired row is not repaired again', () => {
    fc.assert(
      fc.property(anyRow, anyDamage, (row, damages) => {
        const account = damages.reduce((text, damage) => damage(text), row.account);
        const once = repairAccount({ ...row, account, checkCharacter: null }, { directory, rutFormat: null });
        assert.deepEqual(repairAccount(once.cells, { directory, rutFormat: null }).repairs, []);
      }),
    );
  });
});

const anyRow = fc
  .tuple(
    fc.integer({ min: 1_000_000, max: 99_999_999 }).map(String),
    fc.constantFrom(...directory.banks.keys()),
    fc.stringMatching(/^[0-9]{1,4}[1-9][0-9]{3,11}$/),
  )
  .map(([body, bank, account]) => ({ rut: `${body}-${checkCharacter(body)}`, bank, account }));

/** Damages of a text; some of them lose information. */
const DAMAGES: ((text: string) => string)[] = [
  (text) => `="${text}"`,
  (text) => `'${text}`,
  (text) => ` ${text}\u00a0`,
  (text) => text.replaceAll('-', '–'),
  (text) => text.replaceAll('-', ' - '),
  (text) => text.replaceAll('-', ''),
  (text) => text.replaceAll('-', '.'),
  (text) => `${text}.0`,
  (text) => `${text},0`,
  (text) => text.replace(/^0+(?=\d)/, ''),
  (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, '.'),
  (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ' '),
  (text) => text.replace(/(\d{4})(?=\d)/g, '$1-'),
  (text) => text.toLowerCase(),
];
const anyDamage = fc.array(fc.constantFrom(...DAMAGES), { maxLength: 3 });
/** Any damage, also one that loses the check character. */
const anyRutDamage = fc.array(
  fc.constantFrom(...DAMAGES, (text: string) => text.replace(/[-–.]?[\dkK]$/, '')),
  { maxLength: 3 },
);
