import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTENTION_KINDS } from '../../src/attention/attention-kinds.ts';
import type { AuditAction } from '../../src/audit/audit-action.ts';
import { PERMISSIONS } from '../../src/auth/permission.ts';
import type { EntryKind } from '../../src/books/journal-entry.ts';
import type { AttemptState } from '../../src/checkout/payment-attempt.ts';
import { TEXTS } from '../../src/checkout/texts.ts';
import { ROOMS, tell } from '../../src/console/console-texts.ts';
import type { CallbackState } from '../../src/outbox/callback-state.ts';
import type { EventType } from '../../src/outbox/event.ts';
import { sayContradiction, sayReason } from '../../src/payouts/kept-texts.ts';
import { sayNote } from '../../src/statements/line-notes.ts';

test('no two rooms of the console have a text with the same name', () => {
  const keys = ROOMS.flatMap((room) => Object.keys(room.es));
  assert.ok(keys.length > 500);
  assert.deepEqual(
    keys.filter((key, at) => keys.indexOf(key) !== at),
    [],
  );
});

test('every text exists in both languages', () => {
  for (const room of ROOMS) assert.deepEqual(Object.keys(room.es).toSorted(), Object.keys(room.en).toSorted());
});

test('both languages of a text have the same values', () => {
  const valuesIn = (text: string) => [...new Set(text.match(/\{\w+/g))].toSorted().join(' ');
  for (const { es, en } of [...ROOMS, TEXTS] as readonly Record<'es' | 'en', Record<string, string>>[])
    for (const [key, text] of Object.entries(es)) assert.equal(valuesIn(text), valuesIn(en[key] ?? ''), key);
});

test('no text of the console says a permission by its code', () => {
  const codes = Object.keys(PERMISSIONS);
  const texts = ROOMS.flatMap(({ es, en }) => [...Object.entries(es), ...Object.entries(en)]);
  assert.deepEqual(
    texts.filter(([, text]) => codes.some((code) => text.includes(code))),
    [],
  );
});

test('a count of one is in the singular', () => {
  const told = (n: number | string) => [
    tell('es', 'today.count', { count: n }),
    tell('en', 'today.count', { count: n }),
  ];
  assert.deepEqual(told(1), ['1 pago', '1 payment']);
  assert.deepEqual(told('1'), ['1 pago', '1 payment']);
  assert.deepEqual(told(0), ['0 pagos', '0 payments']);
  assert.deepEqual(told(21), ['21 pagos', '21 payments']);
});

/**
 * The keys of the texts in the lines of a payment and of a payout. `tsc` refuses this list if it lacks a new member of
 * these types.
 */
const SAID_IN_LINES = [
  ...keysOf<Extract<EventType, `transaction.${string}` | `refund.${string}`>>('event', {
    'transaction.created': true,
    'transaction.completed': true,
    'transaction.failed': true,
    'transaction.cancelled': true,
    'transaction.expired': true,
    'transaction.conflict': true,
    'transaction.resolved': true,
    'refund.processing': true,
    'refund.completed': true,
    'refund.failed': true,
  }),
  ...keysOf<AttemptState>('attempt', {
    started: true,
    pending: true,
    unknown: true,
    approved: true,
    declined: true,
    aborted: true,
  }),
  ...keysOf<CallbackState>('callback', {
    queued: true,
    delivered: true,
    redirected: true,
    superseded: true,
    dead: true,
    disabled: true,
  }),
  // The excluded kinds belong to a bank or a whole merchant, not to a payment or payout.
  ...keysOf<Exclude<EntryKind, 'payout' | 'deposit' | 'paid_in' | 'commission' | `${string}_returned`>>('entry', {
    payment: true,
    fee: true,
    late_payment: true,
    refund: true,
    unasked_refund: true,
    recovered: true,
    charged: true,
    payout_reserved: true,
    payout_paid: true,
    payout_released: true,
    payout_reversed: true,
    returned: true,
    kept: true,
  }),
  ...keysOf<Extract<AuditAction, `attention.${string}` | `callback.resent` | 'payout.contradiction_ended'>>('act', {
    'attention.taken': true,
    'attention.given_up': true,
    'callback.resent': true,
    'payout.contradiction_ended': true,
  }),
];

function keysOf<Kind extends string>(group: string, kinds: Record<Kind, true>): string[] {
  return Object.keys(kinds).map((kind) => `${group}.${kind}`);
}

test('every event, attempt, callback, entry and act in the timeline of a payment or payout has its words', () => {
  const texts = new Set(ROOMS.flatMap((room) => Object.keys(room.es)));
  assert.deepEqual(
    SAID_IN_LINES.filter((key) => !texts.has(key)),
    [],
    'texts that src/console/console-english.ts and console-spanish.ts lack',
  );
});

test('every kind of the attention list has its words', () => {
  const texts = new Set(ROOMS.flatMap((room) => Object.keys(room.es)));
  assert.deepEqual(
    ATTENTION_KINDS.map(({ kind }) => `attention.${kind}`).filter((key) => !texts.has(key)),
    [],
    'texts that src/console/console-english.ts and console-spanish.ts lack',
  );
});

test('a stored reason of a payout is translated with its value, and the words of a bank are not', () => {
  const said: Readonly<Record<string, string>> = {
    'waits for a person: above $10.000 CLP': 'espera a una persona: supera $10.000 CLP',
    'waits for a person: more than 2 in an hour': 'espera a una persona: más de 2 en una hora',
    'waits for a person: the limit of the day is reached': 'espera a una persona: se alcanzó el límite del día',
  };
  for (const [en, es] of Object.entries(said)) assert.deepEqual(sayReason(en), { en, es });
  assert.equal(sayReason('Cuenta cerrada').es, 'Cuenta cerrada');
  assert.equal(sayReason('constructor').es, 'constructor');
  assert.equal(sayContradiction('amount 6008 CLP').es, 'monto 6008 CLP');
  assert.equal(sayNote('several payouts could be meant').es, 'puede ser de varios pagos');
});

test('the name of a field for a table of payouts or payments says that an .xls is taken', () => {
  const texts = ROOMS.flatMap(({ es, en }) => [...Object.values(es), ...Object.values(en)]);
  const names = texts.filter((text) => /^(Archivo|File) \(CSV/.test(text));
  assert.equal(names.length, 6);
  assert.deepEqual(
    names.filter((name) => !/\.xlsx (o|or) \.xls\b/.test(name)),
    [],
  );
});
