import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodName, payerLanguage, say, TEXTS } from '../../src/checkout/texts.ts';

test('both languages have the same texts with the same placeholders', () => {
  assert.deepEqual(Object.keys(TEXTS.es), Object.keys(TEXTS.en));
  const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
  for (const [key, text] of Object.entries(TEXTS.es)) {
    assert.deepEqual(placesOf(text), placesOf(TEXTS.en[key as keyof typeof TEXTS.en]), key);
  }
});

test('values are inserted literally, even if they look like a placeholder', () => {
  assert.equal(say('en', 'payable.title', { amount: '$& {merchant}', merchant: 'A' }), 'Pay $& {merchant} to A');
});

test('a method has its own name unless there is a text for it', () => {
  assert.equal(methodName('es', { code: 'webpay', name: 'Webpay Plus' }), 'Webpay Plus');
  assert.equal(methodName('es', { code: 'simulated', name: 'Simulated payment' }), 'Simulador');
});

const browsers: [header: string | undefined, language: string][] = [
  [undefined, 'es'],
  ['', 'es'],
  ['*', 'es'],
  ['es', 'es'],
  ['es-CL,es;q=0.9,en;q=0.8', 'es'],
  ['en-US,en;q=0.9', 'en'],
  ['en-US,en;q=0.9,es;q=0.8', 'en'],
  ['en;q=0.5,es;q=0.8', 'es'],
  ['pt-BR,pt;q=0.9,es;q=0.5', 'es'],
  ['de-DE,de;q=0.9', 'en'],
  ['es;q=0', 'en'],
  [';;;,,q=1', 'en'],
];
for (const [header, language] of browsers) {
  test(`a browser with Accept-Language ${JSON.stringify(header)} gets ${language}`, () => {
    assert.equal(payerLanguage(header), language);
  });
}
