import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timelineOf } from '../../src/console/payments/payment-lines.ts';
import type { ShownPayment } from '../../src/search/show-payment.ts';

test('the timeline does not show the redirect of a moved shop as received', () => {
  const toneOf = (status: number, location: string | null) => {
    const line = {
      at: 0,
      kind: 'delivery',
      what: `answered ${status}`,
      by: null,
      amount: null,
      facts: { status, location },
    };
    const shown = {
      payment: { currency: 'CLP' },
      transaction: { url_callback: 'http://shop.cl/cb' },
      timeline: [line],
    };
    return /<li class="([^"]*)"/.exec(timelineOf('en', shown as unknown as ShownPayment).text)?.[1];
  };
  assert.equal(toneOf(200, null), 'is-good');
  assert.equal(toneOf(302, '/thanks'), 'is-good');
  assert.equal(toneOf(302, 'https://shop.cl/cb'), 'is-bad');
  assert.equal(toneOf(307, '/thanks'), 'is-bad');
});

test('the details of the timeline name what a payment method and the books say in the language of the page', () => {
  const facts = {
    payment_attempt: 'pa_1',
    card_last_digits: '6623',
    response_code: 0,
    debit: 'merchant:payable',
    refund: { id: 'rf_1', type: 'parcial', response_code: 0, amount: '5000.00', currency: 'CLP' },
  };
  const line = { at: 0, kind: 'event', what: 'refund.completed', by: null, amount: null, facts };
  const shown = { payment: { currency: 'CLP' }, transaction: { url_callback: '' }, timeline: [line] };
  const told = (language: 'es' | 'en') => {
    const { text } = timelineOf(language, shown as unknown as ShownPayment);
    return [...text.matchAll(/<dt>(.*?)<\/dt><dd class="code">(.*?)<\/dd>/g)].map(
      ([, name, fact]) => `${name}: ${fact}`,
    );
  };
  assert.deepEqual(told('es'), [
    'intento de pago: pa_1',
    'últimos dígitos de la tarjeta: 6623',
    'código de respuesta: 0',
    'debe: merchant:payable',
    'devolución: rf_1, tipo parcial, código de respuesta 0, monto $5.000 CLP',
  ]);
  assert.deepEqual(told('en'), [
    'payment attempt: pa_1',
    'card last digits: 6623',
    'response code: 0',
    'debit: merchant:payable',
    'refund: rf_1, type parcial, response code 0, amount $5.000 CLP',
  ]);
});

test('the timeline does not claim that the payer brought the result of a refused callback to the shop', () => {
  const line = { at: 0, kind: 'callback', what: 'superseded', by: null, amount: null, facts: {} };
  const shown = { payment: { currency: 'CLP' }, transaction: { url_callback: '' }, timeline: [line] };
  const { text: en } = timelineOf('en', shown as unknown as ShownPayment);
  assert.match(en, /Callback to the shop: refused, the browser had the result/);
  const { text: es } = timelineOf('es', shown as unknown as ShownPayment);
  assert.match(es, /Callback a la tienda: lo rechazó, el navegador llevaba el resultado/);
});
