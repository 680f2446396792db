import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validationJson } from '../../../src/api/bank-accounts/validation-reply.ts';
import { suggestion } from '../../../src/bank-validation/bank-findings.ts';
import { type Check, passed } from '../../../src/bank-validation/check.ts';
import type { Validation } from '../../../src/bank-validation/stored-validation.ts';
import type { Language } from '../../../src/lib/language.ts';

const RULE = { kind: 'rule', name: 'a', version: '1', as_of: '2026', confidence: 'high', source: 'é' } as const;
const RUT_PASSED = passed('rut.format', RULE);
const ACCOUNT_PASSED = passed('account.format', RULE);

const VALIDATION: Validation = {
  id: 'bav_1',
  state: 'completed',
  verdict: 'undetermined',
  rut: '12345678-5',
  readings: [],
  bank: null,
  maskedAccount: '•••••5678',
  checks: [RUT_PASSED, ACCOUNT_PASSED],
  suggestions: [],
  expiresAt: null,
  validatedAt: Date.UTC(2026, 0, 15, 12),
};

test('A validation is written with the member names of its contract', () => {
  assert.deepEqual(written({}, 'en'), {
    id: 'bav_1',
    state: 'completed',
    verdict: 'undetermined',
    assurance: 'format',
    isValid: false,
    rut: '12345678-5',
    bank: null,
    account: { masked: '•••••5678' },
    suggestions: [],
    expiresAt: null,
    validatedAt: '2026-01-15T12:00:00.000Z',
    checks: [told(RUT_PASSED, 'en'), told(ACCOUNT_PASSED, 'en')],
  });
});

test('Bank names and advice are escaped, and optional members are written too', () => {
  const bank = { code: '999', name: 'Banco "O\'Higgins" \\ \n é', status: 'active' } as const;
  const advice = suggestion('/bankData/bankSBIFNumber', 'BANK_MERGED', '001', bank.name);
  const readings = [
    { format: 'with-dv', rut: '1-9' },
    { format: 'without-dv', rut: null },
  ] as const;
  const answer = written({ rut: null, bank, readings, suggestions: [advice], expiresAt: 0 }, 'es');
  assert.equal(answer['rut'], null);
  assert.deepEqual(answer['bank'], bank);
  assert.deepEqual(answer['suggestions'], [{ ...advice, message: advice.message.es }]);
  assert.deepEqual(answer['readings'], [
    { rut_format: 'with-dv', rut: '1-9' },
    { rut_format: 'without-dv', rut: null },
  ]);
  assert.equal(answer['expiresAt'], '1970-01-01T00:00:00.000Z');
});

test('Every answer has its own checks in its own order and language, even with more checks than the cache holds', () => {
  const others = Array.from({ length: 1_200 }, (_, index) => passed('bank.known', RULE, { name: `Banco ${index}` }));
  const lists = [[], [RUT_PASSED], ...others.map((other) => [RUT_PASSED, other]), others.slice(0, 2), [ACCOUNT_PASSED]];
  for (let round = 0; round < 2; round++) {
    for (const checks of lists) {
      for (const language of ['en', 'es'] as const) {
        assert.deepEqual(
          written({ checks }, language)['checks'],
          checks.map((check) => told(check, language)),
        );
      }
    }
  }
});

function written(values: Partial<Validation>, language: Language): Record<string, unknown> {
  const text = Buffer.concat(validationJson({ ...VALIDATION, ...values }, language, '{')).toString();
  return JSON.parse(text) as Record<string, unknown>;
}

function told(check: Check, language: Language): object {
  return { ...check, message: check.message[language] };
}
