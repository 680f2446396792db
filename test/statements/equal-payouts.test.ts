import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadLine } from '../../src/statements/line-match.ts';
import { type Candidates, matchLines } from '../../src/statements/match-lines.ts';
import type { PayoutCandidate } from '../../src/statements/match-payouts.ts';

/** Payouts of one amount to one person, sent on 1 March, with their merchants. */
const equal = (...environmentIds: number[]): PayoutCandidate[] =>
  environmentIds.map((environmentId, at) => ({
    id: `po_${at + 1}`,
    environmentId,
    reference: `factura-1${at}`,
    amount: 15_000,
    rutHash: 'r1',
    state: 'confirmed',
    fileId: null,
    leftDay: '2026-03-01',
    hasPayoutLine: false,
    hasReturnLine: false,
  }));

const line = (amount: number, more: Partial<ReadLine> = {}): ReadLine => ({
  line: 1,
  amount,
  day: '2026-03-02',
  text: amount > 0 ? 'DEVOLUCION' : 'TEF',
  rutHashes: ['r1'],
  isAcquirer: false,
  methods: [],
  ...more,
});

const RECORDED = { environmentId: 1, amount: 15_000, day: '2026-03-01', hasLine: false };

async function usesOf(lines: readonly ReadLine[], payouts: PayoutCandidate[], more: Partial<Candidates> = {}) {
  const matches = await matchLines(lines, { payouts, files: [], deposits: [], merchantPayouts: [], ...more });
  return matches.map(({ subject, note }) => subject ?? note);
}

const SEVERAL = 'several payouts could be meant';

test('returns with a RUT are of its equal payouts if there are as many of both, whoever the merchants are', async () => {
  const back = line(15_000);
  for (const payouts of [equal(1, 1), equal(1, 2)]) {
    assert.deepEqual(await usesOf([{ ...back }, { ...back }], payouts), ['po_1', 'po_2']);
    assert.deepEqual(await usesOf([back], payouts), [SEVERAL], 'only one came back');
    const three = [{ ...back }, { ...back }, { ...back }];
    assert.deepEqual(await usesOf(three, payouts), [SEVERAL, SEVERAL, SEVERAL], 'one is of something else');
  }
  const [first, second] = [{ ...back }, { ...back }];
  const [one, other] = equal(1, 1) as [PayoutCandidate, PayoutCandidate];
  assert.deepEqual(await usesOf([first, second], [one, { ...other, leftDay: '2025-12-01' }]), [
    'po_1',
    'the payout came back by another line',
  ]);
  const failed = { ...other, state: 'failed' } as const;
  assert.deepEqual(await usesOf([first, second], [one, failed]), [SEVERAL, SEVERAL], 'a failed one may be meant');
  const paidIn = { ...back, text: 'DEVOLUCION fondos-1' };
  const deposits = [{ ...RECORDED, id: 'mv_1', paymentMethod: null, paidInAs: 'fondos-1' }];
  assert.deepEqual(await usesOf([first, paidIn], [one, other], { deposits }), [SEVERAL, 'mv_1']);
});

test('a charge with a RUT waits for a person if it may be of equal payouts of several merchants', async () => {
  const charge = line(-15_000);
  assert.deepEqual(await usesOf([charge], equal(1, 1)), ['po_1'], 'of one merchant it does not matter');
  assert.deepEqual(await usesOf([charge], equal(1, 2)), [SEVERAL]);
  assert.deepEqual(await usesOf([charge, { ...charge }], equal(1, 2)), ['po_1', 'po_2'], 'both left');
  assert.deepEqual(await usesOf([charge, { ...charge, text: 'TEF po_1' }], equal(1, 2)), ['po_2', 'po_1']);
  const recorded = { ...charge, text: 'TEF pago-12' };
  const merchantPayouts = [{ ...RECORDED, id: 'mv_1', reference: 'pago-12' }];
  assert.deepEqual(await usesOf([charge, recorded], equal(1, 2), { merchantPayouts }), [SEVERAL, 'mv_1']);
  assert.deepEqual(await usesOf([{ ...charge, text: 'TEF factura-11' }], equal(1, 2)), ['po_2'], 'its reference');
  const left = equal(1, 2).map((one) => ({ ...one, hasPayoutLine: one.environmentId === 1 }));
  assert.deepEqual(await usesOf([charge], left), ['po_2'], 'the other has left by another line');
});

test('each of many equal lines is compared with recorded movements a few times, not once per other line', async () => {
  const [lines, read] = [[] as ReadLine[], { times: 0 }];
  for (let at = 0; at < 200; at++) {
    const counted = Object.defineProperty(line(15_000), 'text', { get: () => (read.times++, 'DEVOLUCION') });
    lines.push(counted);
  }
  const deposits = [{ ...RECORDED, id: 'mv_1', paymentMethod: null, paidInAs: 'fondos-1' }];
  const uses = await usesOf(lines, equal(...lines.map(() => 1)), { deposits });
  assert.equal(new Set(uses).size, lines.length);
  assert.ok(read.times < 20 * lines.length, `${read.times} reads`);
});
