import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Comparison, compareSettlement } from '../../src/books/compare-settlement.ts';
import { readSettlement, SettlementError } from '../../src/books/read-settlement.ts';
import type { BookedLine } from '../../src/books/reconciliation-queries.ts';

// 2026-01-15, 12:00 UTC.
const AT = 1_768_478_400_000;

function booked(changes: Partial<BookedLine> = {}): BookedLine {
  return {
    environment_id: 1,
    link: 1,
    line: 0,
    created_at: AT,
    kind: 'payment',
    debit_account: 'method:webpay:receivable',
    credit_account: 'merchant:payable',
    amount: 12_990,
    currency: 'CLP',
    transaction_id: 1001,
    payment_attempt_id: 'pa_1',
    attempt_state: 'approved',
    attempt_transaction_id: 1001,
    attempt_method: 'webpay',
    attempt_account: null,
    refund_id: null,
    reference: 'ORD-1',
    transaction_amount: 12_990,
    transaction_currency: 'CLP',
    transaction_state: 'completed',
    transaction_method: 'webpay',
    transaction_environment_id: 1,
    transaction_created_at: AT,
    transaction_settled_at: AT,
    unsigned_fields: null,
    payment_detail: '{"authorization_code":"1213","buy_order":"rb-1001"}',
    refund_sequence: null,
    refund_created_at: null,
    refund_requested_by: null,
    refund_idempotency_key: null,
    refund_type: null,
    refund_amount: null,
    refund_state: null,
    refund_transaction_id: null,
    refund_settled_at: null,
    refund_detail: null,
    movement_id: null,
    movement_hash: null,
    owner_hash: null,
    record_hash: null,
    hash: '',
    transaction_fee: 0,
    movement_kind: null,
    movement_reference: null,
    movement_amount: null,
    movement_commission: null,
    movement_currency: null,
    movement_environment_id: null,
    movement_created_at: null,
    movement_recorded_by: null,
    movement_payment_method: null,
    movement_transaction_id: null,
    movement_decision: null,
    movement_reason: null,
    refunded: 0,
    ...changes,
  };
}

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
  ['the same', '2026-01-15,rb-1001,1213,12990', [booked()], ['matched 2 1']],
  ['by the authorisation code alone', '2026-01-15,,1213,12990', [booked()], ['matched 2 1']],
  ['another amount', '2026-01-15,rb-1001,1213,12000', [booked()], ['different 2 1 amount']],
  ['another day', '2026-01-16,rb-1001,1213,12990', [booked()], ['different 2 1 date']],
  ['another code', '2026-01-15,rb-1001,9999,12990', [booked()], ['different 2 1 authorization_code']],
  ['nothing of ours', '2026-01-15,rb-9,1,12990', [], ['missing_in_books 2 -']],
  ['ours is not settled', '2026-01-15,rb-9,1,1', [booked()], ['missing_in_books 2 -', 'missing_in_settlement - 1']],
  [
    'a line twice is matched once',
    '2026-01-15,rb-1001,1213,12990\n2026-01-15,rb-1001,1213,12990',
    [booked()],
    ['matched 2 1', 'missing_in_books 3 -'],
  ],
  [
    'a payment and its refund have one buy order',
    '2026-01-15,rb-1001,,-990\n2026-01-15,rb-1001,1213,12990',
    [booked(), refund],
    ['matched 2 2', 'matched 3 1'],
  ],
  [
    'money that was in suspense and went back is there twice',
    '2026-01-15,rb-1001,1213,12990\n2026-01-15,rb-1001,1213,-12990',
    [booked({ kind: 'late_payment' }), booked({ kind: 'returned', link: 2 })],
    ['matched 2 1', 'matched 3 2'],
  ],
  [
    'of which an acquirer knows nothing',
    '2026-01-15,rb-1001,1213,12990',
    (['fee', 'payout', 'deposit', 'commission', 'kept', 'payment'] as const).map((kind) => booked({ kind })),
    ['matched 2 1'],
  ],
  [
    'of two refunds of one payment each finds the one of its amount',
    '2026-01-15,rb-1001,,-500\n2026-01-15,rb-1001,,-990',
    [refund, { ...refund, link: 3, amount: 500, refund_id: 'rf_2' }],
    ['matched 2 3', 'matched 3 2'],
  ],
  [
    'a method without buy orders is known by the transaction',
    '2026-01-15,1001,,12990',
    [booked({ payment_detail: null })],
    ['matched 2 1'],
  ],
  [
    'money without an order is money that came',
    '2026-01-15,rb-1001,,12990',
    [booked({ kind: 'late_payment' })],
    ['matched 2 1'],
  ],
];
for (const [name, csv, lines, expected] of CASES) {
  test(`a settlement file against the books: ${name}`, () => {
    const rows = readSettlement(`date,buy_order,authorization_code,amount\n${csv}\n`);
    assert.deepEqual(told(compareSettlement(rows, lines)), expected);
  });
}

test('every spelling of the authorisation code that acquirers use is read', () => {
  for (const name of ['Código Autorización Venta', 'CODIGO_DE_AUTORIZACION', 'cod. autorización']) {
    const [row] = readSettlement(`Fecha Venta;${name};Monto Venta\n15/01/2026;1213;12990\n`);
    assert.equal(row?.authorizationCode, '1213', name);
  }
});

test('a file whose columns cannot be told is refused with what it names and what is read, and shows no data', () => {
  assert.throws(() => readSettlement('Fecha Abono;Autorización;Total 12990\n'), {
    message:
      'The first line must name date, amount, and buy_order or authorization_code. Found: Fecha Abono | Autorización | …. ' +
      'Names that are read, whatever their accents and capitals: date (fecha, fecha_venta, fecha_transaccion); ' +
      'buy_order (orden_compra, orden_de_compra); authorization_code (codigo_autorizacion, codigo_de_autorizacion, ' +
      'codigo_autorizacion_venta, cod_autorizacion); amount (monto, monto_venta, monto_transaccion); currency (moneda).',
  });
  assert.throws(() => readSettlement(''), /Found: nothing\./);
});

test('a file as spreadsheets in Chile write it is read', () => {
  const text =
    '\uFEFFFecha Venta;Orden de Compra;Código Autorización;Monto;Moneda\r\n15/01/2026;rb-1;012;$12.990;CLP\r\n16-01-2026;rb-2;;-1.000.000;\r\n2026-01-17;;7;10,55;USD\r\n2026-01-17;;8;1.234,5;USD\r\n2026-01-17;;9;1.234;KWD\r\n';
  assert.deepEqual(readSettlement(text), [
    { fileLine: 2, date: '2026-01-15', buyOrder: 'rb-1', authorizationCode: '012', amount: 12_990, currency: 'CLP' },
    { fileLine: 3, date: '2026-01-16', buyOrder: 'rb-2', authorizationCode: null, amount: -1_000_000, currency: 'CLP' },
    { fileLine: 4, date: '2026-01-17', buyOrder: null, authorizationCode: '7', amount: 1055, currency: 'USD' },
    { fileLine: 5, date: '2026-01-17', buyOrder: null, authorizationCode: '8', amount: 123_450, currency: 'USD' },
    { fileLine: 6, date: '2026-01-17', buyOrder: null, authorizationCode: '9', amount: 1234, currency: 'KWD' },
  ]);
});

const UNREADABLE: [csv: string, message: RegExp][] = [
  ['date,amount\n2026-01-15,1', /must name/],
  ['buy_order,amount\nx,1', /must name/],
  ['', /must name/],
  ['date,buy_order,amount\n15.01.2026,x,1', /Line 2: write the date/],
  ['date,buy_order,amount\n2026-02-30,x,1', /Line 2: write the date/],
  ['date,buy_order,amount\n2026-01-15,x,12.5', /Line 2: the amount/],
  ['date,buy_order,amount\n2026-01-15,x,0', /Line 2: the amount/],
  ['date,buy_order,amount\n2026-01-15,x,1\n2026-01-15,x,(5)', /Line 3: the amount/],
  ['date,buy_order,amount\n2026-01-15,,1', /Line 2: neither/],
  ['date,buy_order,amount\n2026-01-15,x,1\n\n2026-01-15,,1', /Line 4: neither/],
  ['date,buy_order,amount,currency\n2026-01-15,x,1.234,USD', /Line 2: the amount/],
  ['date,buy_order,amount\n2026-01-15,x,1,2,3', /no CSV/],
];
for (const [csv, message] of UNREADABLE) {
  test(`a settlement file is refused: ${JSON.stringify(csv)}`, () => {
    assert.throws(
      () => readSettlement(csv),
      (error) => error instanceof SettlementError && message.test(error.message),
    );
  });
}
