import assert from 'node:assert/strict';
import test from 'node:test';
import { cancelUrl, checkCallbackGrammar, checkRequestGrammar, parseAmount } from '../../protocol/field-grammar.ts';

const request = {
  x_account_id: 'svc-test-0001',
  x_amount: '1000',
  x_currency: 'CLP',
  x_customer_email: 'buyer@example.com',
  x_reference: 'ORD-1',
  x_session_id: 'sess-1',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example.com/cb',
  x_url_cancel: 'https://shop.example.com/no',
  x_url_complete: 'https://shop.example.com/ok',
};
const callback = {
  x_account_id: 'svc-test-0001',
  x_amount: '1000.00',
  x_currency: 'CLP',
  x_gateway_reference: '9838',
  x_message: 'Approved',
  x_reference: 'ORD-1',
  x_result: 'completed',
  x_test: 'true',
  x_timestamp: '2026-01-01T00:00:00.000Z',
};

test('a valid request and a valid callback have no problem', () => {
  assert.deepEqual(checkRequestGrammar(request), []);
  assert.deepEqual(checkCallbackGrammar(callback), []);
});

test('every problem of a request is reported at once', () => {
  const bad = { ...request, x_amount: '-1', x_currency: 'XXX', x_shop_country: 'c1', x_session_id: 'abcd' };
  const codes = checkRequestGrammar(bad).map(({ code, field }) => `${code} ${field}`);
  assert.deepEqual(codes, [
    'INVALID_CURRENCY x_currency',
    'INVALID_AMOUNT x_amount',
    'INVALID_SESSION_ID x_session_id',
    'INVALID_COUNTRY x_shop_country',
  ]);
});

const amounts: [text: string, exponent: number, minorUnits: number | null][] = [
  ['1000', 0, 1000],
  ['1', 0, 1],
  ['99999999999', 0, 99999999999],
  ['1000.0', 0, 1000],
  ['1000.00', 0, 1000],
  ['1000.000', 0, null],
  ['600.000', 0, null],
  ['1000.000000', 0, null],
  ['1.000', 2, null],
  ['1.000', 3, 1000],
  ['1.0000', 4, 10000],
  ['1.0000', 3, null],
  ['1000', 2, 100000],
  ['1000.0', 2, 100000],
  ['10.50', 2, 1050],
  ['0.50', 2, 50],
  ['0.99', 2, 99],
  ['0.5', 2, 50],
  ['0.01', 2, 1],
  ['0.05', 3, 50],
  ['12.5', 2, 1250],
  ['12.5', 3, 12500],
  ['12.5', 0, null],
  ['0.99', 0, null],
  ['0.0', 2, null],
  ['00.99', 2, null],
  ['0.009', 2, null],
  ['.99', 2, null],
  ['10.05', 2, 1005],
  ['8.29', 2, 829],
  ['99999999999.99', 2, 9999999999999],
  ['10.50', 3, 10500],
  ['99999999999.99', 4, 999999999999900],
  ['1000.50', 0, null],
  ['1000.5', 2, 100050],
  ['10.505', 2, null],
  ['10.505', 3, null],
  ['0', 0, null],
  ['0.00', 2, null],
  ['-1', 0, null],
  ['-0', 0, null],
  ['+1', 0, null],
  ['01', 0, null],
  ['1e3', 0, null],
  ['1E3', 0, null],
  ['0x10', 0, null],
  ['1.', 2, null],
  ['.5', 2, null],
  ['1,000', 0, null],
  ['1.000,00', 2, null],
  ['1_000', 0, null],
  ['1 ', 0, null],
  [' 1', 0, null],
  ['1\n', 0, null],
  ['', 0, null],
  ['NaN', 0, null],
  ['Infinity', 0, null],
  ['١٠٠', 0, null],
  ['１０００', 0, null],
  ['1000\u200b', 0, null],
  ['100000000000', 0, null],
  ['9007199254740993', 0, null],
];
for (const [text, exponent, minorUnits] of amounts) {
  test(`amount ${JSON.stringify(text)} with ${exponent} decimals is ${minorUnits ?? 'refused'}`, () => {
    assert.equal(parseAmount(text, exponent), minorUnits);
    assert.ok(Number.isSafeInteger(minorUnits ?? 0));
  });
}

type Rows = [text: string, code: string | null][];

const emails: Rows = [
  ['max_power+x@example.com', null],
  ['Buyer.Name@Example.CL', null],
  ["o'brien@shop.technology", null],
  ['a@b.co', null],
  ['a@xn--bcher-kva.example', null],
  ['a@example.xn--p1ai', null],
  [`${'a'.repeat(64)}@example.com`, null],
  [`${'a'.repeat(65)}@example.com`, 'INVALID_EMAIL'],
  ['a@b', 'INVALID_EMAIL'],
  ['@b.cl', 'INVALID_EMAIL'],
  ['a@', 'INVALID_EMAIL'],
  ['a', 'INVALID_EMAIL'],
  ['b.cl', 'INVALID_EMAIL'],
  ['a b@c.cl', 'INVALID_EMAIL'],
  ['"a b"@c.cl', 'INVALID_EMAIL'],
  ['<a@b.cl>', 'INVALID_EMAIL'],
  ['a@b.cl>', 'INVALID_EMAIL'],
  ['a@-b.cl', 'INVALID_EMAIL'],
  ['a@b-.cl', 'INVALID_EMAIL'],
  ['a@b..cl', 'INVALID_EMAIL'],
  ['a@.cl', 'INVALID_EMAIL'],
  ['a@b.cl.', 'INVALID_EMAIL'],
  ['.a@b.cl', 'INVALID_EMAIL'],
  ['a.@b.cl', 'INVALID_EMAIL'],
  ['a..b@c.cl', 'INVALID_EMAIL'],
  ['a@b@c.cl', 'INVALID_EMAIL'],
  ['a@b.cl,c@d.cl', 'INVALID_EMAIL'],
  ['a@b.c', 'INVALID_EMAIL'],
  ['a@127.0.0.1', 'INVALID_EMAIL'],
  ['a@[127.0.0.1]', 'INVALID_EMAIL'],
  ['ñandú@example.cl', 'INVALID_EMAIL'],
  ['a@b.cl ', 'INVALID_EMAIL'],
  ['a@b.cl\n', 'INVALID_EMAIL'],
  [`a@${'b.'.repeat(124)}cl`, null],
  [`a@${'b.'.repeat(126)}cl`, 'FIELD_TOO_LONG'],
  [`${'a'.repeat(3000)}@b.cl`, 'FIELD_TOO_LONG'],
];
const references: Rows = [
  ['ORD-1', null],
  ['1', null],
  ['Pedido Ñ 42', null],
  ["' OR 1=1--", null],
  ['=cmd|calc!A1', null],
  ['{{7*7}}', null],
  ['../../etc/passwd', null],
  ['%00%0d%0a', null],
  ['a'.repeat(100), null],
  ['a'.repeat(101), 'FIELD_TOO_LONG'],
  [' ORD-1', 'INVALID_REFERENCE'],
  ['ORD-1 ', 'INVALID_REFERENCE'],
  [' ', 'INVALID_REFERENCE'],
  ['cafe\u0301', 'INVALID_REFERENCE'],
  ['\u202eORD', 'INVALID_REFERENCE'],
  ['ORD\u200b1', 'INVALID_REFERENCE'],
  ['ORD\u00ad1', 'INVALID_REFERENCE'],
  ['ORD\u00a01', 'INVALID_REFERENCE'],
  ['\u041eRD-1', 'INVALID_REFERENCE'],
  ['ＯRD', 'INVALID_REFERENCE'],
];
const sessions: Rows = [
  ['12345', null],
  ['c0ffee'.repeat(11).slice(0, 64), null],
  ['s'.repeat(100), null],
  ['1234', 'INVALID_SESSION_ID'],
  ['s'.repeat(101), 'FIELD_TOO_LONG'],
  ['sess\u200b1', 'INVALID_SESSION_ID'],
];
const accounts: Rows = [
  ['a', null],
  ['a'.repeat(100), null],
  ['a'.repeat(101), 'FIELD_TOO_LONG'],
  ['a b', 'INVALID_ACCOUNT_ID'],
  ['ñ', 'INVALID_ACCOUNT_ID'],
];
const currencies: Rows = [
  ['CLP', null],
  ['COP', null],
  ['XXX', 'INVALID_CURRENCY'],
  ['XTS', 'INVALID_CURRENCY'],
  ['clp', 'INVALID_CURRENCY'],
  ['CL', 'INVALID_CURRENCY'],
  ['toString', 'INVALID_CURRENCY'],
  ['__proto__', 'INVALID_CURRENCY'],
];
const countries: Rows = [
  ['CL', null],
  ['AR', null],
  ['es', null],
  ['Cl', null],
  ['c1', 'INVALID_COUNTRY'],
  ['ñn', 'INVALID_COUNTRY'],
  ['c', 'INVALID_COUNTRY'],
  ['CHL', 'INVALID_COUNTRY'],
  ['C1', 'INVALID_COUNTRY'],
  ['CL\n', 'INVALID_COUNTRY'],
  ['constructor', 'INVALID_COUNTRY'],
];
const urls: Rows = [
  ['https://shop.example.com/cb', null],
  ['https://shop.example.com/', null],
  ['https://shop.example.com', null],
  ['https://shop.example.com?callback', null],
  ['https://shop.example.com/?callback', null],
  ['https://shop.example.com:8443', null],
  ['https://shop.test/wc-api?callback&id_cart=5&token=a%20b+c=d', null],
  ['https://my_shop.example.com/', null],
  ['https://xn--bcher-kva.example/', null],
  // The form of these addresses is valid. The server decides which addresses it calls.
  ['https://127.0.0.1/', null],
  ['https://[::1]/', null],
  ['http://shop.example.com/cb', 'INVALID_URL'],
  ['ftp://shop.example.com/', 'INVALID_URL'],
  ['javascript:alert(1)', 'INVALID_URL'],
  ['data:text/html,x', 'INVALID_URL'],
  ['//shop.example.com/cb', 'INVALID_URL'],
  ['shop.example.com/cb', 'INVALID_URL'],
  ['https:/shop.example.com', 'INVALID_URL'],
  ['https:shop.example.com', 'INVALID_URL'],
  ['https:\\\\shop.example.com\\', 'INVALID_URL'],
  ['HTTPS://shop.example.com/', 'INVALID_URL'],
  ['https://', 'INVALID_URL'],
  ['https://?a', 'INVALID_URL'],
  ['https://user:pass@shop.example.com/', 'INVALID_URL'],
  ['https://user@shop.example.com/', 'INVALID_URL'],
  ['https://@shop.example.com/', 'INVALID_URL'],
  ['https://shop.example.com@127.0.0.1/', 'INVALID_URL'],
  ['https://shop.example.com%2f@evil.example.net/', 'INVALID_URL'],
  ['https://shop.example.com/#top', 'INVALID_URL'],
  ['https://shop.example.com/#', 'INVALID_URL'],
  ['https://shop.example.com/a b', 'INVALID_URL'],
  [' https://shop.example.com/', 'INVALID_URL'],
  ['https://shop.example.com/é', 'INVALID_URL'],
  ['https://m..example.com/', 'INVALID_URL'],
  ['https://.example.com/', 'INVALID_URL'],
  ['https://-a.example.com/', 'INVALID_URL'],
  [`https://${'a'.repeat(64)}.example.com/`, 'INVALID_URL'],
  [`https://${'a.'.repeat(130)}com/`, 'INVALID_URL'],
  ['https://SHOP.example.com/', 'INVALID_URL'],
  ['https://bücher.example/', 'INVALID_URL'],
  ['https://shop.example.com/a/../b', 'INVALID_URL'],
  ['https://shop.example.com/./b', 'INVALID_URL'],
  ['https://shop.example.com:443/', 'INVALID_URL'],
  ['https://shop.example.com:/', 'INVALID_URL'],
  ['https://shop.example.com:65536/', 'INVALID_URL'],
  ['https://xn--/', 'INVALID_URL'],
  ['https://localhost./', 'INVALID_URL'],
  ['https://shop.example.com./', 'INVALID_URL'],
  ['https://localhost/', 'INVALID_URL'],
  ['https://intranet/', 'INVALID_URL'],
  ['https://0x7f.1/', 'INVALID_URL'],
  ['https://0177.0.0.1/', 'INVALID_URL'],
  ['https://2130706433/', 'INVALID_URL'],
  ['https://0/', 'INVALID_URL'],
  ['https://１２７.０.０.１/', 'INVALID_URL'],
  ['https://[::ffff:127.0.0.1]/', 'INVALID_URL'],
  [`https://shop.example.com/${'a'.repeat(2023)}`, null],
  [`https://shop.example.com/${'a'.repeat(2024)}`, 'FIELD_TOO_LONG'],
];

const requestRules: [field: keyof typeof request, rows: Rows][] = [
  ['x_account_id', accounts],
  ['x_currency', currencies],
  ['x_customer_email', emails],
  ['x_reference', references],
  ['x_session_id', sessions],
  ['x_shop_country', countries],
  ['x_url_callback', urls],
  ['x_url_cancel', urls],
  ['x_url_complete', urls],
];
for (const [field, rows] of requestRules) {
  for (const [text, code] of rows) {
    test(`${field} ${JSON.stringify(text.slice(0, 70))} ${code === null ? 'passes' : `is ${code}`}`, () => {
      const problems = checkRequestGrammar({ ...request, [field]: text });
      assert.deepEqual(
        problems.map((problem) => [problem.field, problem.code]),
        code === null ? [] : [[field, code]],
      );
    });
  }
}

const cancelPaths: Rows = [
  ['/', null],
  ['/shop/cart?order=1&q=%C3%B1', null],
  ['/?cancel', null],
  ['', 'INVALID_URL'],
  ['cart', 'INVALID_URL'],
  ['?cancel', 'INVALID_URL'],
  ['//evil.example.net/', 'INVALID_URL'],
  ['///evil.example.net/', 'INVALID_URL'],
  ['/\\evil.example.net/', 'INVALID_URL'],
  ['\\\\evil.example.net/', 'INVALID_URL'],
  ['/../cart', 'INVALID_URL'],
  ['/./cart', 'INVALID_URL'],
  ['/a b', 'INVALID_URL'],
  ['/é', 'INVALID_URL'],
  ['/#top', 'INVALID_URL'],
  [`/${'a'.repeat(2048)}`, 'FIELD_TOO_LONG'],
];
for (const [path, code] of cancelPaths) {
  test(`x_url_cancel as the path ${JSON.stringify(path.slice(0, 40))} ${code === null ? 'passes' : `is ${code}`}`, () => {
    const problems = checkRequestGrammar({ ...request, x_url_cancel: path });
    assert.deepEqual(
      problems.map((problem) => [problem.field, problem.code]),
      code === null ? [] : [['x_url_cancel', code]],
    );
  });
}

test('a path as x_url_cancel stays on the origin of x_url_complete', () => {
  const to = (x_url_cancel: string, x_url_complete: string) => cancelUrl({ x_url_cancel, x_url_complete });
  assert.equal(to('/', 'https://shop.example.com:8443/a/ok?x=1'), 'https://shop.example.com:8443/');
  assert.equal(to('/cart?id=1', 'https://shop.example.com'), 'https://shop.example.com/cart?id=1');
  assert.equal(to('https://other.example.com/no', 'https://shop.example.com'), 'https://other.example.com/no');
  for (const nowhere of ['/', 'shop', 'data:text/html,x', '']) assert.equal(to('/', nowhere), null, nowhere);
  assert.equal(to('//evil.example.net', 'https://shop.example.com'), null);
});

test('only x_url_cancel may be a path', () => {
  for (const field of ['x_url_callback', 'x_url_complete']) {
    const problems = checkRequestGrammar({ ...request, [field]: '/ok' });
    assert.deepEqual(
      problems.map((problem) => [problem.field, problem.code]),
      [[field, 'INVALID_URL']],
    );
  }
});

test('in development, http and single-label host names pass too, and nothing else does', () => {
  const accepted = [
    'http://localhost:3000/cb',
    'http://127.0.0.1:8080',
    'https://intranet/',
    'http://shop.example.com',
  ];
  const refused = [
    'ftp://localhost/',
    'http://user@localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'localhost:3000',
  ];
  const problemsOf = (url: string) => checkRequestGrammar({ ...request, x_url_callback: url }, { allowHttp: true });
  for (const url of accepted) assert.deepEqual(problemsOf(url), [], url);
  for (const url of refused) assert.equal(problemsOf(url)[0]?.code, 'INVALID_URL', url);
});

const callbackRules: [field: keyof typeof callback, rows: Rows][] = [
  [
    'x_amount',
    [
      ['5000', null],
      ['5000.00', null],
      ['5000.5', 'INVALID_AMOUNT'],
      ['0.00', 'INVALID_AMOUNT'],
    ],
  ],
  [
    'x_result',
    [
      ['completed', null],
      ['failed', null],
      ['pending', null],
      ['complete', 'INVALID_RESULT'],
      ['Completed', 'INVALID_RESULT'],
    ],
  ],
  [
    'x_test',
    [
      ['true', null],
      ['false', null],
      ['1', 'INVALID_TEST'],
      ['TRUE', 'INVALID_TEST'],
    ],
  ],
  [
    'x_timestamp',
    [
      ['2019-08-27T15:24:11.092Z', null],
      ['2019-08-27T15:24:11Z', null],
      ['2019-08-27T15:24:11.092+00:00', 'INVALID_TIMESTAMP'],
      ['2019-08-27 15:24:11Z', 'INVALID_TIMESTAMP'],
      ['2019-13-27T15:24:11Z', 'INVALID_TIMESTAMP'],
      ['2019-08-27T25:24:11Z', 'INVALID_TIMESTAMP'],
      ['1566919451', 'INVALID_TIMESTAMP'],
    ],
  ],
  [
    'x_message',
    [
      ['X', null],
      ['Transacción pendiente', null],
    ],
  ],
  ['x_gateway_reference', [['9838', null]]],
];
for (const [field, rows] of callbackRules) {
  for (const [text, code] of rows) {
    test(`callback ${field} ${text} ${code === null ? 'passes' : `is ${code}`}`, () => {
      const problems = checkCallbackGrammar({ ...callback, [field]: text });
      assert.deepEqual(
        problems.map((problem) => problem.code),
        code === null ? [] : [code],
      );
    });
  }
}

test('a URL accepted in development is still refused where https is required', () => {
  for (const url of ['https://localhost/cb', 'http://shop.example.com/cb']) {
    const body = { ...request, x_url_callback: url };
    assert.deepEqual(checkRequestGrammar(body, { allowHttp: true }), []);
    assert.equal(checkRequestGrammar(body)[0]?.code, 'INVALID_URL', url);
  }
});
