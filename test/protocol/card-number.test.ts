import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { holdsCardNumber, isCardNumber, maskCardNumbers } from '../../protocol/card-number.ts';
import { checkNoCards } from '../../protocol/field-grammar.ts';

/** Numbers that issuers and payment methods publish for tests, or numbers from their ranges with a check digit. */
const CARDS = {
  Visa: ['4222222222222', '4111111111111111', '4051885600446623', '4000000000000000006'],
  Mastercard: ['5105105105105100', '5555555555554444', '2221000000000009', '2223003122003222', '2720990000000007'],
  'American Express': ['341111111111111', '378282246310005'],
  Diners: ['30000000000004', '36227206271667', '38520000023237'],
  Discover: ['6011111111111117', '6500000000000002'],
};

for (const [issuer, numbers] of Object.entries(CARDS)) {
  test(`a number of ${issuer} is a card number with any spacing, and not with another check digit`, () => {
    for (const number of numbers) {
      assert.equal(isCardNumber(number), true, number);
      assert.equal(isCardNumber(number.replaceAll(/(.{4})(?=.)/g, '$1 ')), true, number);
      assert.equal(isCardNumber(number.replaceAll(/(.{4})(?=.)/g, '$1-')), true, number);
      const other = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);
      assert.equal(isCardNumber(other), false, other);
    }
  });
}

test('other texts are not card numbers', () => {
  const texts = [
    '',
    'ORD-1',
    '4111',
    '411111111111111',
    'A4111111111111111',
    '4111111111111111A',
    '4111.1111.1111.1111',
  ];
  for (const text of [...texts, '7992739871300000', '0000000000000000', '1111111111111117']) {
    assert.equal(isCardNumber(text), false, text);
  }
});

test('a card number is found and masked inside a text, whatever stands around it', () => {
  const texts = [
    'TC 4111111111111111',
    'TC 4111 1111 1111 1111',
    '12 4111-1111-1111-1111 ok',
    'visa:4111111111111111',
    '2026-01-15 4111111111111111',
    'amex 3782 822463 10005',
    'diners 3622-720627-1667',
    'https://shop.example.cl/?card=4111%201111%201111%201111&x=1',
    '{"x":[1],"card":4111111111111111}',
    '{"card":"5555.5555.5555.4444"}',
    '4111 1111 1111 1111',
  ];
  for (const text of texts) {
    assert.equal(holdsCardNumber(text), true, text);
    const masked = maskCardNumbers(text);
    assert.doesNotMatch(masked, /1111|4444|0005|1667/, text);
    assert.equal(masked.length, text.length);
  }
  assert.equal(maskCardNumbers('paid by 4111 1111 1111 1111, thanks 2026'), 'paid by **** **** **** ****, thanks 2026');
});

test('random identifiers, barcodes, times, RUTs and telephone numbers contain no card number', () => {
  const texts = [
    'ORD4111111111111111',
    'a4111111111111111b',
    '4006381333931',
    '4111 1111 1111',
    '4111 1111 1111 1112',
    '2026-01-15T12:00:00.000Z 17:00',
    '+56 9 8765 4321 12.345.678-5',
    'https://shop.example.cl/callback?order=1&t=1768478400000',
  ];
  for (const text of texts) {
    assert.equal(holdsCardNumber(text), false, text);
    assert.equal(maskCardNumbers(text), text);
  }
  const refused = Array.from({ length: 50_000 }, () => randomUUID()).filter(holdsCardNumber);
  assert.deepEqual(refused, []);
});

test('every field of a request is checked for card numbers, including the unsigned objects', () => {
  const x_document = '{"name":"TC 4111 1111 1111 1111"}';
  assert.deepEqual(
    checkNoCards({ x_document, x_reference: 'ORD-1', x_session_id: '4222222222222' }).map(({ field }) => field),
    ['x_document', 'x_session_id'],
  );
});

test('a number made from a time is never taken for a card number, with or without more digits', () => {
  const HOUR = 3_600_000;
  for (let time = Date.UTC(2020, 0); time < Date.UTC(2034, 0); time += 5 * HOUR + 61_003) {
    const [year, month, day, ...clock] = new Date(time).toISOString().slice(0, 19).split(/\D/);
    const short = year?.slice(2);
    const tail = clock.join('');
    for (const start of [
      `${year}${month}${day}`,
      `${short}${month}${day}`,
      `${day}${month}${year}`,
      `${day}${month}${short}`,
    ]) {
      for (const more of ['', '7', '42', '123', '1234'])
        assert.equal(isCardNumber(start + tail + more), false, start + tail + more);
    }
    for (const text of [String(time), `${time}123`, String(time).slice(0, 10)])
      assert.equal(isCardNumber(text), false, text);
  }
});
