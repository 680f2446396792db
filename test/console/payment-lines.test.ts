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
