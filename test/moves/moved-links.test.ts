import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../src/payment-links/end-payment-link.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoDatabases, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('a payment link of a payment service that moved', (openTestDatabase) => {
  // The refusal named the address of the other database to people of any payment service.
  test('is unknown to somebody who does not see the payment service', async () => {
    const { from, to } = await twoDatabases(openTestDatabase, await openTestDatabase());
    const [merchant, other] = [await createTestEnvironment(from), await createTestEnvironment(from)];
    const wish = { amount: 12_990, currency: 'CLP', subject: 'Curso', expiresAt: null, urlCallback: null };
    const { link } = await createPaymentLink(from, merchant.id, { ...wish, uses: 'one' }, TESTER);
    await movePaymentService(from, to, wishOf(merchant));
    from.now.advance(1000);
    assert.equal(await endPaymentLink(from, link.id, new Set([other.id]), TESTER), 'unknown');
    await assert.rejects(endPaymentLink(from, link.id, new Set([merchant.id]), TESTER), {
      code: 'PAYMENT_SERVICE_MOVED',
    });
  });
});
