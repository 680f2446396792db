import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttentionRow } from '../../src/attention/attention.ts';
import { attentionLines } from '../../src/cli/payments/attention-lines.ts';

const callback = (id: number, changes: Partial<AttentionRow> = {}): AttentionRow => ({
  kind: 'callback',
  id: String(id),
  payment_service: 'ps_a',
  name: 'Shop A',
  environment: 'production',
  transaction: 1000 + id,
  endpoint: 7,
  since: id,
  age: 3_600_000,
  amount: null,
  currency: null,
  reason: 'the shop did not take it in 10 attempts and will not hear of it again',
  command: `bin/rubrica callback resend ${id}`,
  taken_by: null,
  taken_at: null,
  ...changes,
});

test('a thousand callbacks that one shop did not take are one line with two commands, in the order of age', () => {
  const rows = [
    ...Array.from({ length: 1000 }, (_, index) => callback(index + 2)),
    callback(1, { payment_service: 'ps_b', name: 'Shop B' }),
    callback(2000, { taken_by: 'ana@example.cl', taken_at: 2001 }),
  ];
  const lines = attentionLines(rows);
  assert.equal(lines.length, 4 + 3 + 4 + 3);
  assert.deepEqual(
    lines.slice(1, 4).map((line) => line.replace(/ {2,}/g, '|').split('|').slice(0, 4).join('|')),
    ['callback|1|Shop B|production', 'callback|2 and 999 more|Shop A|production', 'callback|2000|Shop A|production'],
  );
  assert.deepEqual(lines.slice(8, 11), [
    'callback 2 and 999 more: the shop did not take it in 10 attempts and will not hear of it again',
    '  bin/rubrica callback list --state dead --endpoint 7',
    '  bin/rubrica callback resend --state dead --endpoint 7',
  ]);
});

test('the commands for many callbacks name their endpoints, or the merchant if there are more than ten', () => {
  const resends = (endpoints: number) =>
    attentionLines(Array.from({ length: 60 }, (_, index) => callback(index, { endpoint: index % endpoints })))
      .filter((line) => line.includes(' callback resend '))
      .map((line) => line.replace('  bin/rubrica callback resend --state dead ', ''));
  assert.deepEqual(resends(3), ['--endpoint 0', '--endpoint 1', '--endpoint 2']);
  assert.equal(resends(10).length, 10);
  assert.deepEqual(resends(11), ['--payment-service ps_a']);
});

test('ten callbacks of one shop have a line each, and those of an ended webhook one command', () => {
  const rows = Array.from({ length: 10 }, (_, index) => callback(index));
  assert.equal(attentionLines(rows).filter((line) => line.startsWith('  bin/rubrica callback resend ')).length, 10);
  const ended = Array.from({ length: 11 }, (_, index) => callback(index, { command: 'bin/rubrica webhook end u w' }));
  assert.deepEqual(attentionLines(ended).slice(-1), ['  bin/rubrica webhook end u w']);
});
