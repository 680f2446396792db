import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchLines, type PayoutCandidate, type ReadLine } from '../../src/statements/match-lines.ts';

/** It left on the 1st of March, for the holder of RUT `r1`. */
const PAYOUT: PayoutCandidate = {
  id: 'po_1',
  environmentId: 1,
  reference: 'factura-12',
  amount: 15_000,
  rutHash: 'r1',
  state: 'sent',
  fileId: null,
  leftDay: '2026-03-01',
  hasPayoutLine: false,
  hasReturnLine: false,
};

const line = (amount: number, day: string, more: Partial<ReadLine> = {}): ReadLine =>
  ({ amount, day, text: 'transferencia', rutHashes: [], isAcquirer: false, ...more }) as ReadLine;

const usesOf = (lines: readonly ReadLine[], payouts: readonly PayoutCandidate[] = [PAYOUT]) =>
  matchLines(lines, { payouts, files: [], deposits: [] }).map(({ use, subject, note }) => subject ?? `${use}: ${note}`);

const SEVERAL = 'suspense: several payouts could be meant';
const UNKNOWN = 'suspense: of nothing that is known here';

test('two lines of one amount that name nobody are not given to the only payout of that amount: one of them is of something else', () => {
  const lines = [line(-15_000, '2026-03-01'), line(-15_000, '2026-03-02')];
  assert.deepEqual(usesOf(lines), [SEVERAL, SEVERAL]);
  assert.deepEqual(usesOf(lines.slice(0, 1)), ['po_1']);
  assert.deepEqual(usesOf(lines.slice(0, 1), [PAYOUT, { ...PAYOUT, id: 'po_2' }]), [SEVERAL]);
});

test('a payout leaves within ten days of its own, and one day before at the earliest', () => {
  const named = { rutHashes: ['r1'] };
  for (const [day, use] of [
    ['2026-02-27', UNKNOWN],
    ['2026-02-28', 'po_1'],
    ['2026-03-11', 'po_1'],
    ['2026-03-12', UNKNOWN],
  ] as const) {
    assert.deepEqual(usesOf([line(-15_000, day, named)]), [use], day);
  }
});

test('a payout comes back within sixty days, long after it could have left', () => {
  const back = { rutHashes: ['r1'], text: 'devolucion' };
  for (const [day, use] of [
    ['2026-03-12', 'po_1'],
    ['2026-04-30', 'po_1'],
    ['2026-05-01', UNKNOWN],
  ] as const) {
    assert.deepEqual(usesOf([line(15_000, day, back)]), [use], day);
  }
  assert.deepEqual(usesOf([line(15_000, '2026-03-12', back)], [{ ...PAYOUT, state: 'failed' }]), [UNKNOWN]);
});

test('money that came in without a word of a return is not taken for one by its amount', () => {
  assert.deepEqual(usesOf([line(15_000, '2026-03-03')]), [UNKNOWN]);
  assert.deepEqual(usesOf([line(15_000, '2026-03-03', { text: 'DEVOLUCION TEF' })]), ['po_1']);
});
