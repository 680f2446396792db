import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadLine } from '../../src/statements/line-match.ts';
import { NOTHING_KNOWN } from '../../src/statements/line-notes.ts';
import { type Candidates, matchLines } from '../../src/statements/match-lines.ts';
import type { PayoutCandidate } from '../../src/statements/match-payouts.ts';

/** A payout that was sent on 1 March to the holder of RUT `r1`. */
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
  ({ amount, day, text: 'transferencia', rutHashes: [], isAcquirer: false, methods: [], ...more }) as ReadLine;

const usesOf = async (lines: readonly ReadLine[], payouts: readonly PayoutCandidate[] = [PAYOUT]) =>
  (await matchLines(lines, { payouts, files: [], deposits: [], merchantPayouts: [] })).map(
    ({ use, subject, note }) => subject ?? `${use}: ${note}`,
  );

const ABONO = { isAcquirer: true };

/** A deposit of a payment method, recorded on 10 March. */
const DEPOSIT = {
  id: 'mv_1',
  environmentId: 1,
  amount: 50_000,
  day: '2026-03-10',
  paymentMethod: 'webpay',
  paidInAs: null,
  hasLine: false,
};

const SEVERAL = 'suspense: several payouts could be meant';
const REFUSED_BACK = 'suspense: a payout that the bank refused may have come back: then it is of nothing here';
const UNKNOWN = 'suspense: of nothing that is known here';

test('two equal lines without a name are not matched to the only payout of that amount', async () => {
  const lines = [line(-15_000, '2026-03-01'), line(-15_000, '2026-03-02')];
  assert.deepEqual(await usesOf(lines), [SEVERAL, SEVERAL]);
  assert.deepEqual(await usesOf(lines.slice(0, 1)), ['po_1']);
  assert.deepEqual(await usesOf(lines.slice(0, 1), [PAYOUT, { ...PAYOUT, id: 'po_2' }]), [SEVERAL]);
});

test('a charge matches a payout from one day before it left to ten days after', async () => {
  const named = { rutHashes: ['r1'] };
  for (const [day, use] of [
    ['2026-02-27', UNKNOWN],
    ['2026-02-28', 'po_1'],
    ['2026-03-11', 'po_1'],
    ['2026-03-12', UNKNOWN],
  ] as const) {
    assert.deepEqual(await usesOf([line(-15_000, day, named)]), [use], day);
  }
});

test('equal payouts of several days have a line each, whether the newest or the oldest line is first', async () => {
  const weekly = [PAYOUT, { ...PAYOUT, id: 'po_2', leftDay: '2026-03-08' }];
  const ofRut = (day: string) => line(-15_000, day, { rutHashes: ['r1'] });
  const oldestFirst = [ofRut('2026-03-01'), ofRut('2026-03-08')];
  assert.deepEqual(await usesOf(oldestFirst, weekly), ['po_1', 'po_2']);
  assert.deepEqual(await usesOf(oldestFirst.toReversed(), weekly), ['po_2', 'po_1']);
  const deposits = [
    { ...DEPOSIT, day: '2026-03-01' },
    { ...DEPOSIT, id: 'mv_2', day: '2026-03-04' },
  ];
  const newestFirst = [line(50_000, '2026-03-04', ABONO), line(50_000, '2026-02-24', ABONO)];
  const found = await matchLines(newestFirst, { payouts: [], files: [], deposits, merchantPayouts: [] });
  assert.deepEqual(
    found.map(({ subject }) => subject),
    ['mv_2', 'mv_1'],
  );
});

test('a charge is of the payout that was sent again, and of the one that failed only if it is left over', async () => {
  const payouts: PayoutCandidate[] = [
    { ...PAYOUT, state: 'failed' },
    { ...PAYOUT, id: 'po_2', leftDay: '2026-03-03' },
  ];
  const ofRut = (day: string) => line(-15_000, day, { rutHashes: ['r1'] });
  assert.deepEqual(await usesOf([ofRut('2026-03-04')], payouts), ['po_2']);
  assert.deepEqual(await usesOf([ofRut('2026-03-04'), ofRut('2026-03-04')], payouts), ['po_2', 'po_1']);
  assert.deepEqual(await usesOf([ofRut('2026-03-01'), ofRut('2026-03-04')], payouts), ['po_1', 'po_2']);
});

test('a charge matches the total of a file from one day before its day to ten days after', async () => {
  const files = [{ id: 'pf_1', total: 40_000, day: '2026-03-01' }];
  const subjectOn = async (day: string) =>
    (await matchLines([line(-40_000, day)], { payouts: [], files, deposits: [], merchantPayouts: [] }))[0]?.subject;
  for (const [day, subject] of [
    ['2026-02-27', null],
    ['2026-02-28', 'pf_1'],
    ['2026-03-11', 'pf_1'],
    ['2026-03-12', null],
  ] as const) {
    assert.equal(await subjectOn(day), subject, day);
  }
});

test('a return matches a payout for up to sixty days', async () => {
  const back = { rutHashes: ['r1'], text: 'devolucion' };
  for (const [day, use] of [
    ['2026-03-12', 'po_1'],
    ['2026-04-30', 'po_1'],
    ['2026-05-01', UNKNOWN],
  ] as const) {
    assert.deepEqual(await usesOf([line(15_000, day, back)]), [use], day);
  }
});

test('a credit that may be the return of a refused payout says so, so that it is not taken for an unknown one', async () => {
  const refused: PayoutCandidate[] = [{ ...PAYOUT, state: 'failed' }];
  for (const [day, text, rutHashes, use] of [
    ['2026-03-12', 'ABONO', ['r1'], REFUSED_BACK],
    ['2026-03-12', 'DEVOLUCION TEF', [], REFUSED_BACK],
    ['2026-03-12', 'ABONO', [], UNKNOWN],
    ['2026-03-12', 'DEVOLUCION TEF', ['r2'], UNKNOWN],
    ['2026-05-01', 'DEVOLUCION TEF', ['r1'], UNKNOWN],
  ] as const) {
    assert.deepEqual(await usesOf([line(15_000, day, { text, rutHashes })], refused), [use], `${day} ${text}`);
  }
  const charged = [
    line(-15_000, '2026-03-02', { rutHashes: ['r1'] }),
    line(15_000, '2026-03-02', { rutHashes: ['r1'] }),
  ];
  assert.deepEqual(await usesOf(charged, refused), ['po_1', REFUSED_BACK]);
});

test('a credit whose text mentions no return is not matched by its amount alone', async () => {
  assert.deepEqual(await usesOf([line(15_000, '2026-03-03')]), [UNKNOWN]);
  assert.deepEqual(await usesOf([line(15_000, '2026-03-03', { text: 'DEVOLUCION TEF' })]), ['po_1']);
});

test('a return is of the equal payout that came back, and waits where an equal one failed', async () => {
  const back = (text: string, rutHashes = ['r1']) => line(15_000, '2026-03-12', { rutHashes, text });
  const arrived: PayoutCandidate = { ...PAYOUT, state: 'confirmed' };
  const other = { ...PAYOUT, id: 'po_2' };
  const returned: PayoutCandidate[] = [arrived, { ...other, state: 'returned' }];
  assert.deepEqual(await usesOf([back('DEVOLUCION'), back('DEVOLUCION')], returned), ['po_2', 'po_1']);
  assert.deepEqual(await usesOf([back('DEVOLUCION factura-12', [])], returned), ['po_2']);

  const failed: PayoutCandidate[] = [arrived, { ...other, state: 'failed' }];
  assert.deepEqual(await usesOf([back('DEVOLUCION')], failed), [SEVERAL]);
  assert.deepEqual(await usesOf([back('DEVOLUCION', [])], failed.slice(0, 1)), ['po_1']);
  assert.deepEqual(
    await usesOf(
      [back('DEVOLUCION', [])],
      failed.map((one) => ({ ...one, reference: one.id })),
    ),
    [SEVERAL],
  );
  assert.deepEqual(await usesOf([back('DEVOLUCION po_1')], failed), ['po_1'], 'its id tells it from the other');
  assert.deepEqual(await usesOf([back('DEVOLUCION po_2')], failed), [SEVERAL], 'a failed payout is not returned');
  const elsewhere: PayoutCandidate[] = [arrived, { ...other, state: 'failed', rutHash: 'r2' }];
  assert.deepEqual(await usesOf([back('DEVOLUCION')], elsewhere), ['po_1'], 'the other is of another person');
  const long: PayoutCandidate[] = [arrived, { ...other, state: 'failed', leftDay: '2026-01-10' }];
  assert.deepEqual(await usesOf([back('DEVOLUCION')], long), ['po_1'], 'the other left too long before');
  assert.deepEqual(await usesOf([line(-15_000, '2026-03-01', { rutHashes: ['r1'] })], failed), ['po_1'], 'a charge');
});

/** Two payouts of one amount. The reference of one begins with the reference of the other. */
const TWO = [
  { ...PAYOUT, reference: 'nomina-2' },
  { ...PAYOUT, id: 'po_2', reference: 'nomina-21', rutHash: 'r2' },
];

test('a line with a RUT is matched by payout id first, then by RUT, then by reference', async () => {
  for (const [amount, text] of [
    [-15_000, 'TEF nomina-21'],
    [15_000, 'DEVOLUCION TEF nomina-21'],
  ] as const) {
    const of = (rutHash: string, said: string = text) =>
      line(amount, '2026-03-01', { text: said, rutHashes: [rutHash] });
    assert.deepEqual(await usesOf([of('r2')], TWO), ['po_2']);
    assert.deepEqual(await usesOf([of('r2'), of('r1', text.replace('21', '2'))], TWO), ['po_2', 'po_1']);
    assert.deepEqual(await usesOf([of('r2', text.replace('21', '2'))], TWO), ['po_2'], 'a RUT outweighs a reference');
    assert.deepEqual(
      await usesOf([of('r3', `${text} 11.111.111-1`)], TWO),
      [UNKNOWN],
      'a RUT of another person matches neither',
    );
    assert.deepEqual(await usesOf([of('r3', `${text} 20260106`)], TWO), ['po_2'], 'a day is not taken for a RUT');
    assert.deepEqual(await usesOf([of('r1', `${text} po_2`)], TWO), ['po_2'], 'the id of a payout outweighs a RUT');
    assert.deepEqual(await usesOf([of('r1', `TEF/po_2-1`)], TWO), ['po_2'], 'an id is found inside other characters');
  }
});

test('a line with the RUT of two equal payouts leaves the one that a later line names by its id', async () => {
  const two: PayoutCandidate[] = [
    { ...PAYOUT, state: 'confirmed' },
    { ...PAYOUT, id: 'po_2', state: 'confirmed' },
  ];
  for (const [amount, text] of [
    [-15_000, 'TEF'],
    [15_000, 'DEVOLUCION'],
  ] as const) {
    const byRut = line(amount, '2026-03-02', { text, rutHashes: ['r1'] });
    const byId = line(amount, '2026-03-02', { text: `${text} po_1` });
    assert.deepEqual(await usesOf([byRut, byId], two), ['po_2', 'po_1']);
    assert.deepEqual(await usesOf([byId, byRut], two), ['po_1', 'po_2']);
  }
});

// A restored store has lost that payout, or another database has its merchant.
test('a line with the id of a payout that is not known here is of no other payout or file', async () => {
  const id = 'po_xhrztqdrsbsy42kwrz23';
  const file = { id: 'pf_1', total: 15_000, day: '2026-03-01' };
  const payouts = [{ ...PAYOUT, state: 'confirmed' as const }];
  for (const [amount, text] of [
    [-15_000, `TEF ${id}`],
    [-15_000, `TEF ${id.toUpperCase()} factura-12`],
    [15_000, `DEVOLUCION ${id}`],
  ] as const) {
    for (const rutHashes of [[], ['r1']])
      assert.deepEqual(await usesOf([line(amount, '2026-03-02', { text, rutHashes })], payouts), [UNKNOWN], text);
    const none = { payouts: [], files: [file], deposits: [], merchantPayouts: [] };
    assert.equal((await matchLines([line(amount, '2026-03-02', { text })], none))[0]?.note, NOTHING_KNOWN);
    const known = [...payouts, { ...PAYOUT, id, state: 'confirmed' as const }];
    assert.deepEqual(await usesOf([line(amount, '2026-03-02', { text, rutHashes: ['r1'] })], known), [id]);
  }
});

test('a reference in a line without a RUT matches only as a whole word', async () => {
  const useOf = async (text: string, payouts = TWO) =>
    (await usesOf([line(-15_000, '2026-03-01', { text })], payouts))[0];
  for (const text of ['TEF nomina-2', 'nomina-2 TEF', 'TEF (nomina-2), marzo', 'TEF:nomina-2.', 'nomina-2. TEF'])
    assert.equal(await useOf(text), 'po_1', text);
  assert.equal(await useOf('TEF nomina-21'), 'po_2');
  const others = ['22', '2a', '2á', '2-b', '2_b', '2/1', '2.1'].map((end) => `TEF nomina-${end}`);
  for (const text of [...others, ...['a', '9', 'ñ', '-', '.', '_', '/'].map((start) => `TEF ${start}nomina-2`)])
    assert.equal(await useOf(text), SEVERAL, text);
  const short = TWO.map((one, at) => ({ ...one, reference: at === 0 ? 'n-123' : 'n-1234' }));
  assert.equal(await useOf('TEF n-123', short), SEVERAL, 'five characters may be in any text');
  assert.equal(await useOf('TEF n-1234', short), 'po_2');
  const pointed = TWO.map((one, at) => ({ ...one, reference: at === 0 ? 'pago.12' : 'otro.12' }));
  assert.equal(await useOf('TEF pago.12', pointed), 'po_1');
  assert.equal(await useOf('TEF pagox12', pointed), SEVERAL, 'a point matches only itself');
  const spaced = TWO.map((one, at) => ({ ...one, reference: `nómina #${12 + at} marzo` }));
  assert.equal(await useOf('TEF nómina #13 marzo.', spaced), 'po_2');
  assert.equal(await useOf('TEF nómina #13 marzos', spaced), SEVERAL);
});

test('a bank may write references and ids in capitals, and one in the same letters comes first', async () => {
  const useOf = async (text: string, payouts = TWO, amount = -15_000) =>
    (await usesOf([line(amount, '2026-03-01', { text })], payouts))[0];
  assert.equal(await useOf('TEF NOMINA-21'), 'po_2');
  assert.equal(await useOf('TEF PO_2'), 'po_2');
  assert.equal(await useOf('DEVOLUCION NOMINA-2', TWO, 15_000), 'po_1');
  const alike = TWO.map((one, at) => ({ ...one, reference: at === 0 ? 'pago-a' : 'PAGO-A' }));
  assert.equal(await useOf('TEF PAGO-A', alike), 'po_2');
  assert.equal(await useOf('TEF pago-a', alike), 'po_1');
  const recorded = { ...DEPOSIT, amount: 15_000, day: '2026-03-01', paymentMethod: null };
  const found = { payouts: [], files: [], deposits: [{ ...recorded, paidInAs: 'fondos-1' }], merchantPayouts: [] };
  assert.equal(
    (await matchLines([line(15_000, '2026-03-01', { text: 'DEPOSITO FONDOS-1' })], found))[0]?.subject,
    'mv_1',
  );
});

test('a return with the RUT of several equal payouts waits for a person, unless one of them is known to be back', async () => {
  const back = line(15_000, '2026-03-12', { rutHashes: ['r1'], text: 'devolucion' });
  const arrived = ['po_1', 'po_2'].map((id) => ({ ...PAYOUT, id, state: 'confirmed' as const }));
  assert.deepEqual(await usesOf([back], arrived), [SEVERAL]);
  assert.deepEqual(await usesOf([{ ...back, text: 'devolucion po_2' }, back], arrived), ['po_2', 'po_1']);
  const [first, second] = arrived as [PayoutCandidate, PayoutCandidate];
  assert.deepEqual(await usesOf([back], [first, { ...second, state: 'returned' }]), ['po_2']);
  assert.deepEqual(await usesOf([back], [{ ...first, hasReturnLine: true }, second]), ['po_2']);
});

test('a credit of an acquirer matches a deposit of the named method, if all that are possible are of one merchant', async () => {
  const useOf = async (more: Partial<ReadLine>, ...others: Partial<typeof DEPOSIT>[]) => {
    const deposits = [DEPOSIT, ...others.map((one, at) => ({ ...DEPOSIT, id: `mv_${at + 2}`, ...one }))];
    const found = { payouts: [], files: [], deposits, merchantPayouts: [] };
    const [match] = await matchLines([line(50_000, '2026-03-10', more)], found);
    return match?.subject ?? match?.note;
  };
  const doubt = 'a recorded deposit could be meant';
  assert.equal(await useOf(ABONO, {}), 'mv_1');
  assert.equal(await useOf(ABONO, { environmentId: 2 }), doubt);
  assert.equal(await useOf(ABONO, { paymentMethod: 'other' }), doubt);
  assert.equal(await useOf({ methods: ['other'] }, { paymentMethod: 'other' }), 'mv_2');
  assert.equal(await useOf({ methods: ['other'] }), 'a deposit of an acquirer that is not recorded');
  assert.equal(
    await useOf(ABONO, { environmentId: 2, hasLine: true }, { environmentId: 2, day: '2026-03-01' }),
    'mv_1',
  );
});

test('matching takes linear time for many payouts of one amount', async () => {
  let looks = 0;
  const most = 300;
  const numbers = Array.from({ length: most }, (_, at) => at);
  const payouts = numbers.map((at) => ({
    ...PAYOUT,
    id: `po_${at}_`,
    reference: `bono-2026-${at}`,
    rutHash: `r${at}`,
    get leftDay() {
      looks++;
      return PAYOUT.leftDay;
    },
  }));
  const lines = numbers.map((at) => ({ ...line(-PAYOUT.amount, PAYOUT.leftDay), line: at, rutHashes: [`r${at}`] }));
  const matches = await matchLines(lines, { payouts, files: [], deposits: [], merchantPayouts: [] });
  assert.deepEqual(
    matches.map(({ subject }) => subject),
    payouts.map(({ id }) => id),
  );
  assert.ok(looks <= 10 * most, `${looks} looks at the days of ${most} payouts`);
});

test('matching takes linear time for many payouts of one RUT and amount', async () => {
  let looks = 0;
  const most = 300;
  const numbers = Array.from({ length: most }, (_, at) => at);
  const payouts = numbers.map((at) => ({ ...PAYOUT, id: `po_${at}_` }));
  const lines = numbers.map((at) => ({
    ...line(-PAYOUT.amount, PAYOUT.leftDay),
    line: at,
    rutHashes: ['r0', PAYOUT.rutHash],
    get day() {
      looks++;
      return PAYOUT.leftDay;
    },
  }));
  const matches = await matchLines(lines, { payouts, files: [], deposits: [], merchantPayouts: [] });
  assert.deepEqual(
    matches.map(({ subject }) => subject),
    payouts.map(({ id }) => id),
  );
  assert.ok(looks <= 10 * most, `${looks} looks at the days of ${most} lines`);
});

test('a credit with the amount of a recorded deposit, or of a payout to the merchant that may be back, waits as that', async () => {
  const recorded = { ...DEPOSIT, paymentMethod: null };
  const candidates = {
    payouts: [],
    files: [],
    deposits: [{ ...recorded, paidInAs: 'FONDOS-1' }],
    merchantPayouts: [{ ...recorded, id: 'mv_2', amount: 20_000, reference: 'TEF-1', hasLine: true }],
  };
  const noteOf = async (...given: Parameters<typeof line>) => (await matchLines([line(...given)], candidates))[0]?.note;
  const deposit = 'a recorded deposit could be meant';
  assert.equal(await noteOf(50_000, '2026-03-03'), NOTHING_KNOWN);
  assert.equal(await noteOf(50_000, '2026-03-04'), deposit);
  assert.equal(await noteOf(50_000, '2026-03-15'), deposit);
  assert.equal(await noteOf(50_000, '2026-03-16'), NOTHING_KNOWN);
  assert.equal(await noteOf(50_001, '2026-03-10'), NOTHING_KNOWN);
  const back = { text: 'DEVOLUCION TEF' };
  assert.equal(await noteOf(20_000, '2026-05-09', back), 'a payout to the merchant may have come back');
  assert.equal(await noteOf(20_000, '2026-05-10', back), NOTHING_KNOWN);
  assert.equal(await noteOf(20_000, '2026-05-09'), NOTHING_KNOWN, 'the bank does not say that it came back');
});

test('a line is not of a payout by its amount alone where a payout to the merchant or a file has that amount too', async () => {
  const remitted = { id: 'mv_1', amount: 15_000, day: '2026-03-01', reference: 'TEF-1', hasLine: true };
  const file = { id: 'pf_1', total: 15_000, day: '2026-03-01' };
  const none = { payouts: [PAYOUT], files: [], deposits: [], merchantPayouts: [] };
  const charge = line(-15_000, '2026-03-02');
  const subjectOf = async (one: ReadLine, more: Partial<Candidates>) => {
    const [match] = await matchLines([one], { ...none, ...more });
    return match?.subject ?? match?.note;
  };
  const several = 'several payouts could be meant';
  const free = { merchantPayouts: [{ ...remitted, hasLine: false }] };
  assert.equal(await subjectOf(charge, free), several);
  assert.equal(await subjectOf(charge, { merchantPayouts: [remitted] }), 'po_1', 'it has left by another line');
  assert.equal(await subjectOf(charge, { files: [file] }), several);
  assert.equal(await subjectOf(charge, { files: [file], payouts: [{ ...PAYOUT, fileId: 'pf_1' }] }), 'po_1', 'its own');
  assert.equal(
    await subjectOf(charge, { ...free, files: [file], payouts: [] }),
    'a payout to the merchant could be meant',
  );
  const back = line(15_000, '2026-03-05', { text: 'DEVOLUCION TEF' });
  assert.equal(await subjectOf(back, { merchantPayouts: [remitted] }), several);
  assert.equal(
    await subjectOf({ ...back, rutHashes: ['r1'] }, { merchantPayouts: [remitted] }),
    'po_1',
    'its RUT says it',
  );
});

// Twenty thousand lines and two thousand files of one amount kept a core busy for more than a minute.
test('matching looks at the day of each file and deposit once', async () => {
  let looks = 0;
  const most = 100;
  const many = (kind: string) =>
    Array.from({ length: most }, (_, at) => ({
      id: `${kind}_${at}`,
      total: 100,
      amount: 100,
      environmentId: 1,
      paymentMethod: 'webpay',
      paidInAs: null,
      hasLine: false,
      get day() {
        looks++;
        return '2026-01-15';
      },
    }));
  const lines = Array.from({ length: 2 * most }, (_, at) => line(at % 2 === 0 ? 100 : -100, '2026-06-15', ABONO));
  const matches = await matchLines(lines, {
    payouts: [],
    files: many('pf'),
    deposits: many('dp'),
    merchantPayouts: [],
  });
  assert.ok(matches.every(({ use }) => use === 'suspense'));
  assert.ok(looks <= 4 * 2 * most, `${looks} looks at the days of ${2 * most} files and deposits`);
});

test('an id of a payout is found in a text also where letters follow it', async () => {
  const one = { ...PAYOUT, id: 'po_1a' };
  const lines = [line(-15_000, '2026-03-01', { text: 'PAGO po_1abono', rutHashes: ['other'] })];
  assert.deepEqual(await usesOf(lines, [{ ...one, id: 'po_2' }, one]), ['po_1a']);
});
