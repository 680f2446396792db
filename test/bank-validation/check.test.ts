import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type Check,
  type CheckCode,
  type CheckId,
  type CheckResult,
  fillIn,
  verdictOf,
} from '../../src/bank-validation/check.ts';

test('a name that ends with a point ends its sentence', () => {
  const message = { en: 'Use {value}, {name}.', es: 'Usa {value}, {name}.' };
  assert.equal(fillIn(message, { value: '764', name: 'Fintoc Pagos S.A.' }).en, 'Use 764, Fintoc Pagos S.A.');
  assert.equal(fillIn(message, { value: '012', name: 'Coopeuch' }).es, 'Usa 012, Coopeuch.');
});

suite('verdictOf', () => {
  const fine: Brief = ['rut.format', 'pass', null];
  const warned: Brief = ['bank.status', 'warn', 'BANK_MERGED'];
  const failed: Brief = ['account.format', 'fail', 'ACCOUNT_ALL_ZEROS'];
  const unknownBank: Brief = ['bank.known', 'warn', 'BANK_UNKNOWN'];
  const unverifiedBank: Brief = ['bank.status', 'warn', 'BANK_UNVERIFIED'];
  const notAsked: Brief = ['holder.match', 'not_performed', 'NO_PROVIDER_CONFIGURED'];
  const match: Brief = ['holder.match', 'pass', null];
  const noMatch: Brief = ['holder.match', 'fail', 'HOLDER_NO_MATCH'];
  const close: Brief = ['holder.match', 'warn', 'HOLDER_CLOSE_MATCH'];
  const notCheckable: Brief = ['holder.match', 'not_performed', 'HOLDER_NOT_CHECKABLE'];
  const timeout: Brief = ['holder.match', 'error', 'PROVIDER_TIMEOUT'];

  const table: [verdict: string, ...checks: Brief[]][] = [
    ['plausible', fine],
    ['plausible', fine, warned, notAsked],
    ['invalid', fine, failed, notAsked],
    ['invalid', failed, match],
    ['invalid', failed, noMatch],
    ['invalid', noMatch, failed],
    ['invalid', failed, unknownBank],
    ['undetermined', unknownBank, notAsked],
    ['undetermined', unverifiedBank, notAsked],
    ['undetermined', fine, notCheckable],
    ['undetermined', fine, timeout],
    ['undetermined', unknownBank, match],
    ['undetermined', match, unknownBank],
    ['mismatch', unknownBank, noMatch],
    ['mismatch', noMatch, unknownBank],
    ['mismatch', warned, noMatch],
    ['confirmed', fine, warned, match],
    ['plausible', fine, close],
  ];
  for (const [verdict, ...checks] of table) {
    test(`${checks.map((check) => check.slice(0, 3).filter(Boolean).join(' ')).join(' + ')} gives ${verdict}`, () => {
      assert.equal(verdictOf(checks.map(checkOf)), verdict);
    });
  }
});

type Brief = [id: CheckId, result: CheckResult, code: CheckCode | null];

function checkOf([id, result, code]: Brief): Check {
  return {
    id,
    result,
    code,
    message: { en: '', es: '' },
    field: '/rut',
    provenance: { kind: 'rule', name: 'test', version: null, as_of: null, confidence: null, source: null },
  };
}
