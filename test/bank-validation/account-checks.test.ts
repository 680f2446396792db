import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { checksNotPerformed, runOfflineChecks } from '../../src/bank-validation/account-checks.ts';
import { type Check, verdictOf } from '../../src/bank-validation/check.ts';
import shippedList from '../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { shippedBankDirectory as directory } from '../../src/bank-validation/directory/current-directory.ts';
import { possibleRuts } from '../../src/bank-validation/rut.ts';
import { checkCharacter } from '../../src/lib/modulo-eleven.ts';
import { quickestOf } from '../support/quickest-of.ts';

const PERSON = '12345678-5';
const COMPANY = '76086428-5';

suite('runOfflineChecks', () => {
  test('a valid account passes every check, in a fixed order', () => {
    const { rut, bank, maskedAccount, checks, suggestions } = run(PERSON, '001', '1234509876');
    assert.deepEqual(
      [rut, bank, maskedAccount, suggestions],
      [PERSON, { code: '001', name: 'Banco de Chile', status: 'active' }, '•••••9876', []],
    );
    assert.deepEqual(brief(checks), [
      'rut.format pass',
      'rut.check_character pass',
      'rut.range pass',
      'bank.known pass',
      'bank.status pass',
      'bank.accepts_transfers pass',
      'account.format pass',
      'account.bank_shape pass',
      'account.cuentarut_consistency not_performed NOT_APPLICABLE',
    ]);
    assert.equal(verdictOf(checks), 'plausible');
  });

  test('an account of four digits is not shown, and of a longer one only the last four are', () => {
    const masked = ['1234', '12345'].map((account) => run(PERSON, '001', account).maskedAccount);
    assert.deepEqual(masked, ['•••••', '•••••2345']);
  });

  test('every failing check is reported, and checks that depend on it are not performed', () => {
    const { rut, bank, maskedAccount, checks } = run('12345678–5', 'abc', '12-34-56');
    assert.deepEqual([rut, bank, maskedAccount], [null, null, '•••••']);
    assert.deepEqual(brief(checks), [
      'rut.format fail RUT_BAD_FORMAT',
      'rut.check_character not_performed PREREQUISITE_FAILED',
      'rut.range not_performed PREREQUISITE_FAILED',
      'bank.known fail BANK_BAD_FORMAT',
      'bank.status not_performed PREREQUISITE_FAILED',
      'bank.accepts_transfers not_performed PREREQUISITE_FAILED',
      'account.format fail ACCOUNT_BAD_FORMAT',
      'account.bank_shape not_performed PREREQUISITE_FAILED',
      'account.cuentarut_consistency not_performed PREREQUISITE_FAILED',
    ]);
    assert.equal(verdictOf(checks), 'invalid');
  });

  test('a wrong check character leaves the range check open, because any digit may be the wrong one', () => {
    assert.deepEqual(brief(run('12345678-6', '001', '1234509876').checks).slice(0, 3), [
      'rut.format pass',
      'rut.check_character fail RUT_CHECK_DIGIT_MISMATCH',
      'rut.range not_performed PREREQUISITE_FAILED',
    ]);
  });

  test('every warning about a RUT belongs to the check that found it', () => {
    assert.deepEqual(brief(run(' 055555555-5 ', '001', '1234509876').checks).slice(0, 5), [
      'rut.format warn RUT_WHITESPACE_TRIMMED',
      'rut.format warn RUT_LEADING_ZEROS_STRIPPED',
      'rut.check_character pass',
      'rut.range warn RUT_REPEATED_DIGITS',
      'rut.range warn RUT_GENERIC_PLACEHOLDER',
    ]);
  });

  const banks: [code: unknown, verdict: string, remarks: string[], suggested?: string][] = [
    ['012', 'plausible', []],
    ['049', 'plausible', ['bank.status warn BANK_MERGED'], '028'],
    ['504', 'plausible', ['bank.status warn BANK_MERGED'], '014'],
    [
      '029',
      'plausible',
      ['bank.status warn BANK_MERGED', 'bank.accepts_transfers warn BANK_NOT_TRANSFER_TARGET'],
      '001',
    ],
    ['017', 'invalid', ['bank.status fail BANK_CLOSED', 'bank.accepts_transfers warn BANK_NOT_TRANSFER_TARGET']],
    ['057', 'invalid', ['bank.status fail BANK_CLOSED', 'bank.accepts_transfers warn BANK_NOT_TRANSFER_TARGET']],
    [
      '063',
      'plausible',
      ['bank.status warn BANK_NOT_YET_OPERATING', 'bank.accepts_transfers warn BANK_NOT_TRANSFER_TARGET'],
    ],
    ['060', 'plausible', ['bank.accepts_transfers warn BANK_NOT_TRANSFER_TARGET']],
    ['739', 'plausible', []],
    [
      '693',
      'undetermined',
      ['bank.status warn BANK_UNVERIFIED', 'bank.accepts_transfers warn BANK_NOT_TRANSFER_TARGET'],
    ],
    ['999', 'undetermined', ['bank.known warn BANK_UNKNOWN']],
    ['152', 'undetermined', ['bank.known warn BANK_UNVERIFIED'], '729'],
    ['930', 'undetermined', ['bank.known warn BANK_UNVERIFIED']],
    ['17', 'invalid', ['bank.known fail BANK_BAD_FORMAT'], '017'],
    ['1', 'invalid', ['bank.known fail BANK_BAD_FORMAT'], '001'],
    ['0012', 'invalid', ['bank.known fail BANK_BAD_FORMAT'], '012'],
    [undefined, 'invalid', ['bank.known fail BANK_BAD_FORMAT']],
    [12, 'invalid', ['bank.known fail BANK_BAD_FORMAT']],
  ];
  for (const [code, verdict, remarks, suggested] of banks) {
    test(`bank ${JSON.stringify(code)}: ${verdict}`, () => {
      const { checks, suggestions, bank } = run(PERSON, code, '123450987654');
      const told = checks.filter(
        ({ id, result }) => id.startsWith('bank.') && (result === 'fail' || result === 'warn'),
      );
      assert.deepEqual(brief(told), remarks);
      assert.equal(verdictOf(checks), verdict);
      assert.deepEqual(
        suggestions.map(({ field, value }) => [field, value]),
        suggested === undefined ? [] : [['/bankData/bankSBIFNumber', suggested]],
      );
      if (bank !== null) assert.equal(bank.code, code, 'the answer has the code that the caller sent');
    });
  }

  test('every shipped bank gets the verdict of its status', () => {
    const verdicts = {
      active: 'plausible',
      authorised: 'plausible',
      merged: 'plausible',
      closed: 'invalid',
      unverified: 'undetermined',
    };
    for (const { code, status } of shippedList.banks) {
      assert.equal(
        verdictOf(run(PERSON, code, '123450987654').checks),
        verdicts[status as keyof typeof verdicts],
        code,
      );
    }
    for (const { code } of shippedList.rejectedCodes) {
      assert.equal(verdictOf(run(PERSON, code, '123450987654').checks), 'undetermined', code);
    }
  });

  const accounts: [bank: string, account: unknown, remarks: string[]][] = [
    ['001', undefined, ['account.format fail ACCOUNT_MISSING']],
    ['001', '', ['account.format fail ACCOUNT_MISSING']],
    ['001', 12345678, ['account.format fail ACCOUNT_NOT_STRING']],
    ['001', ['1'], ['account.format fail ACCOUNT_NOT_STRING']],
    ['001', '12-34-56', ['account.format fail ACCOUNT_BAD_FORMAT']],
    ['001', ' 123450987', ['account.format fail ACCOUNT_BAD_FORMAT']],
    ['001', '123450987\n', ['account.format fail ACCOUNT_BAD_FORMAT']],
    ['001', '1.234.509', ['account.format fail ACCOUNT_BAD_FORMAT']],
    ['001', '1e10', ['account.format fail ACCOUNT_BAD_FORMAT']],
    ['001', '٤٤٤٤٤٤', ['account.format fail ACCOUNT_BAD_FORMAT']],
    ['001', '1'.repeat(21), ['account.format fail ACCOUNT_TOO_LONG']],
    ['001', '0'.repeat(21), ['account.format fail ACCOUNT_TOO_LONG']],
    ['001', '0'.repeat(20), ['account.format fail ACCOUNT_ALL_ZEROS']],
    ['001', '0', ['account.format fail ACCOUNT_ALL_ZEROS']],
    ['001', '123', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '1234', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '12345', []],
    ['001', '0000001234', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '12345098765432101', []],
    ['001', '123450987654321012', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['039', '12345098765432101234', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '222222222', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '0222222222', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '123456789', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['001', '1234567890', []],
    ['014', '1234509876', []],
    ['014', '123450987', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['014', '0001234509876', []],
    ['014', '12345098765', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['037', '001234509', []],
    ['037', '1234509', ['account.bank_shape warn ACCOUNT_SHAPE_UNUSUAL']],
    ['730', '12345098', []],
    ['012', '12345098765432101', []],
    ['001', '123456785', ['account.bank_shape warn ACCOUNT_EQUALS_RUT']],
    ['001', '000123456785', ['account.bank_shape warn ACCOUNT_EQUALS_RUT']],
    ['001', '12345678', []],
  ];
  for (const [bank, account, remarks] of accounts) {
    test(`account ${JSON.stringify(account)} at ${bank}: ${remarks.join(', ') || 'no remark'}`, () => {
      const told = run(PERSON, bank, account).checks.filter(
        ({ id, result }) => id.startsWith('account.') && (result === 'fail' || result === 'warn'),
      );
      assert.deepEqual(brief(told), remarks);
    });
  }

  const cuentaRuts: [name: string, rut: string, account: string, outcome: string, suggested?: string][] = [
    ['the RUT body', PERSON, '12345678', 'pass ACCOUNT_IS_CUENTARUT_OF_HOLDER'],
    ['the padded RUT body', PERSON, '000012345678', 'pass ACCOUNT_IS_CUENTARUT_OF_HOLDER'],
    ['a body of seven digits', '9068826-K', '9068826', 'pass ACCOUNT_IS_CUENTARUT_OF_HOLDER'],
    ['a padded body of seven digits', '9068826-K', '09068826', 'pass ACCOUNT_IS_CUENTARUT_OF_HOLDER'],
    ['the body and the check character', PERSON, '123456785', 'warn CUENTARUT_INCLUDES_CHECK_DIGIT', '12345678'],
    ['K written as 0', '9068826-K', '90688260', 'warn CUENTARUT_INCLUDES_CHECK_DIGIT', '9068826'],
    ['eight other digits', PERSON, '12345679', 'warn ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT'],
    ['seven other digits', PERSON, '1234567', 'warn ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT'],
    ['eleven digits', PERSON, '12345098765', 'not_performed NOT_APPLICABLE'],
    ['six digits', PERSON, '123450', 'not_performed NOT_APPLICABLE'],
    ['a body of six digits', '123456-0', '123456', 'not_performed NOT_APPLICABLE'],
    ['the body of a company', COMPANY, '76086428', 'warn ACCOUNT_EQUALS_RUT'],
    ['the padded body of a company', COMPANY, '0076086428', 'warn ACCOUNT_EQUALS_RUT'],
    ['the whole RUT of a company', COMPANY, '760864285', 'not_performed NOT_APPLICABLE'],
    ['a company and eight other digits', COMPANY, '12345679', 'warn ACCOUNT_LOOKS_LIKE_OTHER_CUENTARUT'],
    ['a wrong RUT', '12345678-6', '12345678', 'not_performed PREREQUISITE_FAILED'],
    ['the RUT with dots and hyphen', PERSON, '12.345.678-5', 'not_performed PREREQUISITE_FAILED', '12345678'],
    ['the RUT with its k', '9068826-K', '9068826-k', 'not_performed PREREQUISITE_FAILED', '9068826'],
    ['another RUT with a hyphen', PERSON, '12531909-2', 'not_performed PREREQUISITE_FAILED'],
    ['the RUT of a company with a hyphen', COMPANY, COMPANY, 'not_performed PREREQUISITE_FAILED'],
  ];
  for (const [name, rut, account, outcome, suggested] of cuentaRuts) {
    test(`at BancoEstado, ${name}: ${outcome}`, () => {
      const { checks, suggestions } = run(rut, '012', account);
      const found = checks.filter(({ id }) => id === 'account.cuentarut_consistency');
      assert.deepEqual(brief(found), [`account.cuentarut_consistency ${outcome}`]);
      assert.deepEqual(
        suggestions.map(({ value }) => value),
        suggested === undefined ? [] : [suggested],
      );
      if (!outcome.includes('PREREQUISITE')) assert.equal(verdictOf(checks), 'plausible');
    });
  }

  test('padding the account or writing the RUT in another form never changes the verdict', () => {
    fc.assert(
      fc.property(
        anyBody,
        anyBank,
        fc.stringMatching(/^[1-9][0-9]{4,14}$/),
        fc.nat(2),
        (body, bank, account, zeros) => {
          const check = checkCharacter(body);
          const plain = verdictOf(run(`${body}-${check}`, bank, account).checks);
          const other = run(`${body.padStart(9, '0')}-${check.toLowerCase()} `, bank, '0'.repeat(zeros) + account);
          assert.equal(verdictOf(other.checks), plain);
          assert.equal(other.rut, `${body}-${check}`);
        },
      ),
    );
  });

  test('a RUT with two possible readings leaves the verdict open, unless another check fails', () => {
    // The second has a wrong check character, so it is invalid as written.
    for (const [digits, verdict] of [
      ['22883518', 'undetermined'],
      ['22883519', 'invalid'],
    ] as const) {
      const open = run(digits, '001', '1234509876');
      assert.equal(verdictOf(open.checks), verdict);
      assert.equal(open.rut, null);
      assert.deepEqual(open.readings, possibleRuts(digits));
      assert.equal(verdictOf(run(digits, '001', 'x').checks), 'invalid');
    }
    const told = runOfflineChecks(
      { rut: '22883518', bankCode: '001', account: '1234509876', rutFormat: 'without-dv' },
      directory,
    );
    assert.deepEqual([verdictOf(told.checks), told.rut, told.readings], ['plausible', '22883518-8', []]);
  });

  test('no text shows the account or a wrong RUT, and no verdict is confirmed without a provider', () => {
    fc.assert(
      fc.property(anyBody, anyBank, fc.stringMatching(/^[0-9]{9,24}$/), fc.boolean(), (body, bank, account, right) => {
        const rut = `${body}-${right ? checkCharacter(body) : 'X'}`;
        const findings = run(rut, bank, account);
        const shown = JSON.stringify(findings);
        assert.ok(!shown.includes(account));
        if (!right) assert.ok(!shown.includes(rut));
        assert.notEqual(verdictOf([...findings.checks, ...notAsked]), 'confirmed');
      }),
    );
  });

  test('any input gets every check and a verdict', () => {
    const ids = new Set(run(PERSON, '001', '1').checks.map(({ id }) => id));
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (rut, bankCode, account) => {
        const { checks } = runOfflineChecks({ rut, bankCode, account }, directory);
        assert.deepEqual(new Set(checks.map(({ id }) => id)), ids);
        for (const { result, code } of checks) assert.ok(result === 'pass' || code !== null);
      }),
    );
  });

  test('huge values are answered immediately', () => {
    const huge = '1'.repeat(5_000_000);
    const check = () => assert.equal(verdictOf(run(huge, huge, huge).checks), 'invalid');
    assert.ok(quickestOf(20, check) < 1);
  });

  test('every check has its finding and its source in both languages', () => {
    const { checks } = run(PERSON, '049', '1234');
    for (const { message, provenance } of [...checks, ...notAsked]) {
      assert.match(message.en, /^[A-Z].*\.$/);
      assert.match(message.es, /^[A-ZÁ¿].*[.?]$/);
      assert.ok(!/[{}]/.test(message.en + message.es), message.en);
      assert.ok(provenance.name.length > 0);
    }
    const merged = checks.find(({ code }) => code === 'BANK_MERGED');
    assert.equal(merged?.message.es.slice(0, 44), 'Banco Security se fusionó con Banco BICE. Su');
    assert.equal(merged?.provenance.as_of, '2026');
  });
});

const anyBody = fc.integer({ min: 1_000_000, max: 99_999_999 }).map(String);
const anyBank = fc.constantFrom('001', '012', '014', '037', '049', '017', '999', '152');
const notAsked = checksNotPerformed('NO_PROVIDER_CONFIGURED', {
  kind: 'provider',
  name: 'none',
  version: null,
  as_of: null,
  confidence: null,
  source: null,
});

function run(rut: unknown, bankCode: unknown, account: unknown) {
  return runOfflineChecks({ rut, bankCode, account }, directory);
}

function brief(checks: readonly Check[]): string[] {
  return checks.map(({ id, result, code }) => `${id} ${result}${code === null ? '' : ` ${code}`}`);
}
