import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { erasePerson } from '../../src/privacy/erase-person.ts';
import { exportPerson } from '../../src/privacy/export-person.ts';
import { type Person, personOfEmail } from '../../src/privacy/person.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { termsOf } from '../../src/search/search-term.ts';
import { forEachEngine } from '../support/engines.ts';
import { diesOnLeaving, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilVisible } from '../support/until-visible.ts';

const EMAIL = 'ana@example.cl';
const ANA = personOfEmail(EMAIL) as Person;

forEachEngine('a person in the data that a moved payment service left behind', (openTestDatabase) => {
  test('is erased in both databases, also from callback addresses and from other merchants’ data', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const other = await createTestEnvironment(from);
    for (const [environment, at] of [
      [merchant, 'moved'],
      [other, 'stays'],
    ] as const) {
      const urlCallback = `https://shop.example.cl/${at}/${EMAIL}`;
      await createPaidTransaction(from, environment, { reference: at, customerEmail: EMAIL, urlCallback });
    }
    await deliverAll(from);
    await movePaymentService(from, to, wishOf(merchant));
    for (const app of [from, to]) {
      await erasePerson(app, ANA, TESTER);
      const { transactions, callbacks, endpoints } = await exportPerson(app, ANA, TESTER);
      assert.deepEqual({ transactions, callbacks, endpoints }, { transactions: [], callbacks: [], endpoints: [] });
    }
  });

  test('leaves no search term there if they are erased in the other database, before or during a move', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await createPaidTransaction(from, merchant, { reference: 'ANA', customerEmail: EMAIL });
    await indexAll(from);
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    await indexAll(to);
    assert.deepEqual([await countTerms(from), await countTerms(to)], [1, 1]);
    await erasePerson(from, ANA, TESTER);
    await createPaidTransaction(from, merchant, { reference: 'AGAIN', customerEmail: EMAIL });
    await indexAll(from);
    await movePaymentService(from, to, wishOf(merchant));
    await indexAll(to);
    assert.deepEqual([await countTerms(from), await countTerms(to)], [1, 1]);
    await erasePerson(to, ANA, TESTER);
    await movePaymentService(to, from, wishOf(merchant));
    await indexAll(from);
    assert.deepEqual([await countTerms(from), await countTerms(to)], [0, 0]);
  });
});

async function indexAll(app: TestApp): Promise<void> {
  await untilVisible(app);
  while ((await indexPayments(app)) > 0);
}

async function countTerms(app: TestApp): Promise<number> {
  const term = (await termsOf(app)).of('email', EMAIL);
  return (await app.db.query('select term from search_terms where term = $1', [term])).length;
}

async function deliverAll(app: TestApp): Promise<void> {
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
}
