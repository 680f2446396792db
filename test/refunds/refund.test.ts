import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefundOutcome } from '../../src/payment-methods/payment-method.ts';
import { answerToRefund, type RefundState } from '../../src/refunds/refund.ts';
import { REFUND_REFUSAL_CODES, REFUND_REFUSALS, refusalOf } from '../../src/refunds/refund-refusal.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';

// The complete truth table, written independently of the product: state, answer, result.
const TABLE: [RefundState, RefundOutcome['kind'], string][] = [
  ['processing', 'approved', 'completed'],
  ['processing', 'declined', 'failed'],
  ['processing', 'pending', 'processing'],
  ['processing', 'unknown', 'processing'],
  ['completed', 'approved', 'already'],
  ['completed', 'declined', 'conflict'],
  ['completed', 'pending', 'ignored'],
  ['completed', 'unknown', 'ignored'],
  ['failed', 'approved', 'completed'],
  ['failed', 'declined', 'already'],
  ['failed', 'pending', 'ignored'],
  ['failed', 'unknown', 'ignored'],
];
for (const [state, outcome, expected] of TABLE) {
  test(`a refund: ${state} + ${outcome} = ${expected}`, () => {
    assert.equal(answerToRefund(state, outcome), expected);
  });
}

const DAY = 86_400_000;
// A Thursday, 12:00 UTC, 09:00 in Chile.
const PAID_AT = Date.UTC(2026, 0, 15, 12);
const TERMS = { windowDays: 90, minimumAgeHours: 0, partial: true };

type Rule = {
  name: string;
  code: string | null;
  message?: string;
  transaction?: Partial<Transaction>;
  terms?: Partial<typeof TERMS> | null;
  reserved?: number;
  amount?: number;
  type?: 'total' | 'parcial';
  after?: number;
};

const RULES: Rule[] = [
  { name: 'all of it', code: null },
  { name: 'a part of it', code: null, amount: 1, type: 'parcial' },
  { name: 'the rest, as total', code: null, reserved: 9000, amount: 1000 },
  { name: 'the rest, as a part', code: null, reserved: 9000, amount: 1000, type: 'parcial' },
  {
    name: 'an unpaid transaction',
    code: 'TRANSACTION_NOT_COMPLETED',
    message: 'Transacción no esta completada',
    transaction: { state: 'pending', settled_at: null },
  },
  { name: 'a failed transaction', code: 'TRANSACTION_NOT_COMPLETED', transaction: { state: 'failed' } },
  {
    name: 'a refunded transaction',
    code: 'ALREADY_REFUNDED',
    message: 'Transacción ya se encuentra anulada',
    reserved: 10_000,
  },
  {
    name: 'by a method without refunds',
    code: 'METHOD_GIVES_NO_REFUNDS',
    message: 'La Trx no es de crédito',
    terms: null,
  },
  { name: 'on the last day', code: null, after: 90 * DAY },
  {
    name: 'after the last day',
    code: 'REFUND_WINDOW_CLOSED',
    message: 'La Trx tiene más de 90 días',
    after: 90 * DAY + 1,
  },
  {
    name: 'before 48 working hours, although almost four days have passed',
    code: 'REFUND_TOO_EARLY',
    message: 'Transacciones pueden ser anuladas 48hrs hábiles después de haber sido completadas',
    terms: { minimumAgeHours: 48 },
    after: 4 * DAY - 1,
  },
  { name: 'after 48 working hours', code: null, terms: { minimumAgeHours: 48 }, after: 4 * DAY },
  {
    name: 'a part where only full refunds are allowed',
    code: 'PARTIAL_REFUND_NOT_ALLOWED',
    message: 'La transacción no se puede anular parcialmente',
    terms: { partial: false },
    amount: 1,
    type: 'parcial',
  },
  { name: 'more than was paid', code: 'REFUND_AMOUNT_TOO_HIGH', amount: 10_001, type: 'parcial' },
  {
    name: 'more than is left',
    code: 'REFUND_AMOUNT_TOO_HIGH',
    message: 'El monto es mayor que lo que queda por anular: $9.999 CLP',
    reserved: 1,
    amount: 10_000,
  },
  {
    name: 'less than everything as total',
    code: 'REFUND_AMOUNT_NOT_TOTAL',
    message: 'El monto no es el total que queda por anular: $10.000 CLP',
    amount: 9999,
  },
];
for (const rule of RULES) {
  test(`refunding ${rule.name}: ${rule.code ?? 'accepted'}`, () => {
    const refusal = refusalOf(
      { state: 'completed', amount: 10_000, currency: 'CLP', settled_at: PAID_AT, ...rule.transaction },
      rule.terms === null ? undefined : { ...TERMS, ...rule.terms },
      rule.reserved ?? 0,
      { amount: rule.amount ?? 10_000, type: rule.type ?? 'total' },
      PAID_AT + (rule.after ?? 0),
    );
    assert.equal(refusal?.code ?? null, rule.code);
    if (rule.message !== undefined) assert.equal(refusal?.message, rule.message);
  });
}

test('each refusal has an English and a Spanish text', () => {
  for (const code of REFUND_REFUSAL_CODES) assert.notEqual(REFUND_REFUSALS[code].en, REFUND_REFUSALS[code].es, code);
});
