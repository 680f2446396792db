import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { type Comparison, compareSettlement } from '../../src/books/compare-settlement.ts';
import { explainDifference } from '../../src/books/explain-difference.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import type { BookedLine } from '../../src/books/reconciliation-queries.ts';
import type { Settlement } from '../../src/books/settlement-row.ts';
import { addUp } from '../../src/lib/exact-sum.ts';
import { booked } from '../support/booked-line.ts';

const refund = booked({
  link: 2,
  kind: 'refund',
  amount: 990,
  refund_id: 'rf_1',
  refund_detail: '{"authorization_code":"77"}',
});

function told(comparisons: readonly Comparison[]): string[] {
  return comparisons.map(({ kind, row, line, differs }) =>
    [kind, row?.fileLine ?? '-', line?.link ?? '-', ...differs].join(' '),
  );
}

const CASES: [name: string, csv: string, lines: BookedLine[], expected: string[]][] = [
  ['an equal line matches', '2026-01-15,rb-1001,1213,12990', [booked()], ['matched 2 1']],
  ['the authorisation code alone matches', '2026-01-15,,1213,12990', [booked()], ['matched 2 1']],
  ['another amount is a difference', '2026-01-15,rb-1001,1213,12000', [booked()], ['different 2 1 amount']],
  ['a neighbouring day matches', '2026-01-16,rb-1001,1213,12990', [booked()], ['matched 2 1']],
  ['another day is a difference', '2026-01-17,rb-1001,1213,12990', [booked()], ['different 2 1 date']],
  ['another code is a difference', '2026-01-15,rb-1001,9999,12990', [booked()], ['different 2 1 authorization_code']],
  ['a line that the books lack is missing in the books', '2026-01-15,rb-9,1,12990', [], ['missing_in_books 2 -']],
  [
    'an entry that the file lacks is missing in the settlement',
    '2026-01-15,rb-9,1,1',
    [booked()],
    ['missing_in_books 2 -', 'missing_in_settlement - 1'],
  ],
  [
    'a repeated line is matched once',
    '2026-01-15,rb-1001,1213,12990\n2026-01-15,rb-1001,1213,12990',
    [booked()],
    ['matched 2 1', 'missing_in_books 3 -'],
  ],
  [
    'a payment and its refund match under one buy order',
    '2026-01-15,rb-1001,,-990\n2026-01-15,rb-1001,1213,12990',
    [booked(), refund],
    ['matched 2 2', 'matched 3 1'],
  ],
  [
    'money in suspense that was returned matches both lines',
    '2026-01-15,rb-1001,1213,12990\n2026-01-15,rb-1001,1213,-12990',
    [booked({ kind: 'late_payment' }), booked({ kind: 'returned', link: 2 })],
    ['matched 2 1', 'matched 3 2'],
  ],
  [
    'entries that an acquirer does not know are not missed',
    '2026-01-15,rb-1001,1213,12990',
    (['fee', 'payout', 'deposit', 'commission', 'kept', 'payment'] as const).map((kind) => booked({ kind })),
    ['matched 2 1'],
  ],
  [
    'two refunds of one payment match by amount',
    '2026-01-15,rb-1001,,-500\n2026-01-15,rb-1001,,-990',
    [refund, { ...refund, link: 3, amount: 500, refund_id: 'rf_2' }],
    ['matched 2 3', 'matched 3 2'],
  ],
  [
    'a refund matches under the code of its payment',
    '2026-01-15,rb-1001,1213,-990',
    [booked(), refund],
    ['matched 2 2', 'missing_in_settlement - 1'],
  ],
  [
    'a refund without a buy order matches under the code of its payment',
    '2026-01-15,,1213,-990',
    [refund],
    ['matched 2 2'],
  ],
  ['a refund without a buy order matches under its own code', '2026-01-15,,77,-990', [refund], ['matched 2 2']],
  [
    'the transaction id matches for a method without buy orders',
    '2026-01-15,1001,,12990',
    [booked({ payment_detail: null })],
    ['matched 2 1'],
  ],
  [
    'the id of the payment attempt matches too, also for its refund, and each entry is used once',
    '2026-01-15,pa_1,,12990\n2026-01-15,1001,,12990\n2026-01-15,pa_1,,-990',
    [booked({ payment_detail: null }), { ...refund, payment_detail: null }],
    ['matched 2 1', 'missing_in_books 3 -', 'matched 4 2'],
  ],
  [
    'a late payment matches as a payment',
    '2026-01-15,rb-1001,,12990',
    [booked({ kind: 'late_payment' })],
    ['matched 2 1'],
  ],
];
for (const [name, csv, lines, expected] of CASES) {
  test(`a settlement file against the books: ${name}`, async () => {
    const settlement = await read(`date,buy_order,authorization_code,amount\n${csv}\n`);
    const compared = await compareSettlement(settlement, lines);
    assert.deepEqual(told(compared), expected);
    for (const { difference, causes } of explainDifference(compared)) {
      assert.equal(addUp(causes.map(({ amount }) => amount)), difference, 'the causes add up to the difference');
    }
  });
}

const LATE_AT_NIGHT = booked({
  // 00:30 of the 16th in Chile; the sale was at 23:50 of the 15th.
  created_at: Date.UTC(2026, 0, 16, 3, 30),
  payment_detail:
    '{"authorization_code":"1213","buy_order":"rb-1001","transaction_date":"2026-01-16T02:50:00.000Z","accounting_date":"0116"}',
});
for (const [name, order] of [
  ['of many orders', (at: number) => `rb-${at}`],
  ['of one order', () => 'rb-1001'],
] as const) {
  test(`the comparison of a large file ${name} lets payments run in between`, async () => {
    const rows = Array.from({ length: 5000 }, (_, at) => `2026-01-15,${order(at)},10`);
    const settlement = await read(`date,buy_order,amount\n${rows.join('\n')}\n`);
    const lines = Array.from({ length: 500 }, (_, at) => booked({ link: at + 1 }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const compared = await compareSettlement(settlement, lines);
    isDone = true;
    assert.ok(compared.length >= 5000);
    assert.ok(turns >= 25, `${turns} turns`);
  });
}
test('an acquirer’s date far from the date in the books is ignored', async () => {
  const line = booked({ payment_detail: '{"buy_order":"rb-1001","transaction_date":"2025-01-15T12:00:00.000Z"}' });
  const settlement = await read('date,buy_order,amount\n2026-01-15,rb-1001,12990\n');
  assert.deepEqual(told(await compareSettlement(settlement, [line])), ['matched 2 1']);
});

test('a refund completed by look-up after midnight is expected in the file of its authorisation day', async () => {
  const line = booked({
    ...refund,
    created_at: LATE_AT_NIGHT.created_at,
    refund_detail: '{"authorization_date":"2026-01-16T02:50:00.000Z"}',
  });
  const next = await read('date,buy_order,amount\n2026-01-16,rb-9,5\n');
  assert.deepEqual(told(await compareSettlement(next, [line])), ['missing_in_books 2 -']);
  const own = await read('date,buy_order,amount\n2026-01-15,rb-1001,-990\n');
  assert.deepEqual(told(await compareSettlement(own, [line])), ['matched 2 2']);
});

const NIGHT: [name: string, csv: string, expected: string[]][] = [
  ['matches in the file of the day of the sale', 'date,…\n2026-01-15,rb-1001,1213,12990', ['matched 2 1']],
  ['is not missing in the file of the day of the look-up', 'date,…\n2026-01-16,rb-9,1,5', ['missing_in_books 2 -']],
  [
    'is missing if the file of the day of the sale lacks it',
    'date,…\n2026-01-15,rb-9,1,5',
    ['missing_in_books 2 -', 'missing_in_settlement - 1'],
  ],
  ['matches in the file of its accounting day', 'fecha contable,…\n2026-01-16,rb-1001,1213,12990', ['matched 2 1']],
  [
    'is missing if the file of its accounting day lacks it',
    'fecha contable,…\n2026-01-16,rb-9,1,5',
    ['missing_in_books 2 -', 'missing_in_settlement - 1'],
  ],
];
for (const [name, csv, expected] of NIGHT) {
  test(`a payment completed by look-up after midnight ${name}`, async () => {
    const settlement = await read(csv.replace('…', 'buy_order,authorization_code,amount'));
    assert.deepEqual(told(await compareSettlement(settlement, [LATE_AT_NIGHT])), expected);
  });
}

test('totals give the sums of the file and of the books, and the amount of each cause of the difference', async () => {
  const settlement = await read(
    'date,buy_order,authorization_code,amount,cuota\n' +
      '2026-01-15,rb-1001,1213,12000,\n' +
      '2026-01-15,rb-2,2,500,\n' +
      '2026-01-15,rb-2,2,500,\n' +
      '2026-01-15,rb-3,3,1000,1/3\n' +
      '2026-01-15,rb-9,9,700,\n' +
      '2026-01-15,rb-9,9,-70,\n',
  );
  const line = (link: number, order: string, amount: number) =>
    booked({ link, amount, payment_detail: `{"authorization_code":"${link}","buy_order":"${order}"}` });
  const lines = [booked(), line(2, 'rb-2', 500), line(3, 'rb-3', 3000), line(4, 'rb-4', 40), { ...refund, link: 5 }];
  assert.deepEqual(explainDifference(await compareSettlement(settlement, lines)), [
    {
      currency: 'CLP',
      settled: 14_630,
      booked: 12_990 + 500 + 3000 + 40 - 990,
      difference: -910,
      causes: [
        { cause: 'instalments_to_come', lines: 1, amount: -2000 },
        { cause: 'other_amount', lines: 1, amount: -990 },
        { cause: 'refund_missing_in_settlement', lines: 1, amount: 990 },
        { cause: 'payment_missing_in_books', lines: 1, amount: 700 },
        { cause: 'repeated_in_settlement', lines: 1, amount: 500 },
        { cause: 'refund_missing_in_books', lines: 1, amount: -70 },
        { cause: 'payment_missing_in_settlement', lines: 1, amount: -40 },
      ],
    },
  ]);
});

test('a chargeback beside a refund of another amount is not that refund', async () => {
  const settlement = await read(
    'date,buy_order,tipo,amount\n2026-01-15,rb-1001,Venta,12990\n2026-01-15,rb-1001,Contracargo,12000\n',
  );
  const compared = await compareSettlement(settlement, [booked(), refund]);
  assert.deepEqual(told(compared), ['matched 2 1', 'missing_in_books 3 -', 'missing_in_settlement - 2']);
  const [total] = explainDifference(compared);
  assert.deepEqual(
    total?.causes.map(({ cause, amount }) => [cause, amount]),
    [
      ['refund_missing_in_books', -12_000],
      ['refund_missing_in_settlement', 990],
    ],
  );
});

test('a chargeback that was won is money that came, and is neither its sale nor another refund', async () => {
  const won = (amount: number) => `date,buy_order,tipo,amount\n2026-01-15,rb-1001,Contracargo ganado,${amount}\n`;
  const recovered = booked({ kind: 'recovered', link: 3 });
  const settlement = await read(won(12_990));
  assert.deepEqual(told(await compareSettlement(settlement, [booked(), recovered])), [
    'matched 2 3',
    'missing_in_settlement - 1',
  ]);
  const undecided = await compareSettlement(settlement, [booked(), booked({ kind: 'unasked_refund', link: 2 })]);
  assert.deepEqual(told(undecided), ['missing_in_books 2 -', 'missing_in_settlement - 1', 'missing_in_settlement - 2']);
  assert.equal(explainDifference(undecided)[0]?.settled, 12_990);
  const beside = await read(`${won(12_990)}2026-01-15,rb-1001,Venta,12990\n`);
  assert.deepEqual(told(await compareSettlement(beside, [booked()])), ['missing_in_books 2 -', 'matched 3 1']);
  assert.equal((await read(won(-12_990))).rows[0]?.amount, -12_990, 'the sign of the file counts');
});

test('a chargeback is compared with chargebacks alone, and a refund with none of them', async () => {
  const unasked = { kind: 'unasked_refund', refund_detail: null, refund_id: null } as const;
  const noticed = { ...refund, ...unasked };
  const takenBack = { ...noticed, imported_type: 'chargeback' as const };
  for (const [type, line, isOne] of [
    ['Contracargo', refund, false],
    ['Contracargo', noticed, false],
    ['Contracargo', { ...noticed, imported_type: 'refund' as const }, false],
    ['Contracargo', takenBack, true],
    ['Contracargo', { ...refund, kind: 'returned' as const }, true],
    ['Anulación', takenBack, false],
    ['Anulación', noticed, true],
    ['', takenBack, true],
  ] as const)
    for (const amount of [990, 989]) {
      const row = `2026-01-15,rb-1001,${type},-${amount}\n`;
      const compared = told(await compareSettlement(await read(`date,buy_order,tipo,amount\n${row}`), [line]));
      const other = type === 'Contracargo' ? 'missing_in_books 2 -' : 'different 2 2 amount';
      const found = isOne ? (amount === 990 ? 'matched 2 2' : other) : 'missing_in_books 2 -';
      assert.equal(compared[0], found, `${type} ${amount} ${line.kind} ${line.imported_type}`);
    }
  const parts = 'date,buy_order,tipo,amount\n2026-01-15,rb-1001,Anulación,400\n2026-01-15,rb-1001,Anulación,590\n';
  const compared = await compareSettlement(await read(parts), [takenBack]);
  assert.deepEqual(told(compared), ['missing_in_books 2 -', 'missing_in_books 3 -', 'missing_in_settlement - 2']);
});

test('a row without a type takes no line that a row with a type needs, in any order of the file and the books', async () => {
  const takenBack = booked({ link: 3, kind: 'unasked_refund', amount: 990, imported_type: 'chargeback' });
  const returned = booked({ link: 4, kind: 'returned', amount: 990 });
  for (const [types, lines] of [
    [
      ['', 'Contracargo'],
      [refund, takenBack],
    ],
    [
      ['', 'Anulación'],
      [refund, takenBack],
    ],
    [
      ['Anulación', 'Contracargo', ''],
      [refund, takenBack],
    ],
    [
      ['Anulación', 'Contracargo'],
      [refund, returned],
    ],
    [
      ['Anulación', 'Contracargo'],
      [takenBack, returned],
    ],
    [['', 'Contracargo'], [takenBack]],
  ] as const)
    for (const inFile of [types, types.toReversed()])
      for (const inBooks of [lines, lines.toReversed()]) {
        const rows = inFile.map((type) => `2026-01-15,rb-1001,${type},-990\n`).join('');
        const compared = await compareSettlement(await read(`date,buy_order,tipo,amount\n${rows}`), inBooks);
        const matched = compared
          .filter(({ kind }) => kind === 'matched')
          .map(({ row }) => inFile[(row?.fileLine ?? 0) - 2]);
        const names = `${inFile.join(', ')}: ${inBooks.map(({ link }) => link).join(', ')}`;
        assert.equal(matched.length, lines.length, names);
        const typed = types.filter((type) => type !== '').length;
        assert.equal(matched.filter((type) => type !== '').length, Math.min(typed, lines.length), names);
      }
});

test('chargebacks that add up to a refund are no parts of it', async () => {
  const amounts = (type: string) => [400, 590].map((amount) => `2026-01-15,rb-1001,${type},${amount}\n`).join('');
  for (const [type, lines] of [
    ['Contracargo', ['matched 2 1', 'missing_in_books 3 -', 'missing_in_books 4 -', 'missing_in_settlement - 2']],
    ['Anulación', ['matched 2 1', 'matched 3 2', 'matched 4 2']],
  ] as const) {
    const settlement = await read(`date,buy_order,tipo,amount\n2026-01-15,rb-1001,Venta,12990\n${amounts(type)}`);
    assert.deepEqual(told(await compareSettlement(settlement, [booked(), refund])), lines, type);
  }
});

test('an equal refund is another one if the known one was made at the acquirer, and repeated if made here', async () => {
  const row = '2026-01-15,rb-1001,Anulación,990\n';
  const settlement = await read(`date,buy_order,tipo,amount\n2026-01-15,rb-1001,Venta,12990\n${row}${row}`);
  for (const [kind, cause] of [
    ['unasked_refund', 'refund_missing_in_books'],
    ['refund', 'repeated_in_settlement'],
  ] as const) {
    const [total] = explainDifference(await compareSettlement(settlement, [booked(), { ...refund, kind }]));
    assert.deepEqual(total?.causes, [{ cause, lines: 1, amount: -990 }]);
  }
});

test('a file that repeats one row thousands of times costs a few looks at each row', async () => {
  const repeated = '2026-01-15,rb-1001,1213,12990\n'.repeat(1000);
  const others = Array.from({ length: 1000 }, (_, at) => `2026-01-15,rb-1001,1213,${at + 1}\n`).join('');
  const settlement = await read(`date,buy order,authorization code,amount\n${repeated}${others}`);
  let looks = 0;
  const rows = settlement.rows.map((row) => ({
    ...row,
    get amount() {
      looks++;
      return row.amount;
    },
  }));
  const compared = await compareSettlement({ ...settlement, rows }, [booked()]);
  assert.equal(compared.length, 2000);
  assert.ok(looks <= 20 * rows.length, `${looks} looks at ${rows.length} rows`);
});

test('a thousand chargebacks that were won cost a few looks at each line, and find the one that came back', async () => {
  const rows = '2026-01-15,1213,Contracargo ganado,12990\n'.repeat(1000);
  const settlement = await read(`date,authorization code,tipo,amount\n${rows}`);
  let looks = 0;
  const lines = Array.from({ length: 1000 }, (_, at) => ({
    ...booked({ link: at + 1 }),
    get currency() {
      looks++;
      return 'CLP';
    },
    get kind() {
      looks++;
      return at === 999 ? ('recovered' as const) : ('payment' as const);
    },
  }));
  const compared = await compareSettlement(settlement, lines);
  assert.deepEqual(
    compared.filter(({ kind }) => kind === 'matched').map(({ line }) => line?.link),
    [1000],
  );
  assert.ok(looks <= 20 * lines.length, `${looks} looks at ${lines.length} lines`);
});

function read(text: string): Promise<Settlement> {
  return readSettlement(Readable.from([Buffer.from(text)]));
}
