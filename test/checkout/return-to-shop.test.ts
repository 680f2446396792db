import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { returnToShop } from '../../src/checkout/return-to-shop.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { approved, declined, openCheckout, scriptMethod } from './checkout-case.ts';

forEachEngine('the return to the shop', (openTestDatabase) => {
  for (const outcome of [approved, declined]) {
    test(`posts the same bytes as the callback after a payment that is ${outcome.kind}`, async () => {
      const { app, environment, transaction } = await openCheckout(openTestDatabase, {
        method: scriptMethod({ start: async () => outcome }),
        payerAttempts: 1,
      });
      await startPayment(app, transaction, 'scripted');
      app.now.advance(3_600_000);
      const back = returnToShop((await selectTransaction(app.db, transaction)) as Transaction, environment);
      assert.ok(back.kind === 'post');
      assert.equal(back.url, 'https://shop.example.cl/complete?order=1');
      const [callback] = await app.db.query<{ body: string }>('select body from callbacks');
      assert.equal(new URLSearchParams(back.fields).toString(), callback?.body);
      assert.equal(Object.keys(back.fields).length, 10);
    });
  }

  for (const [how, urlCancel, kind] of [
    ['the result page with another query', 'https://shop.example.cl/complete?status=cancel', 'post'],
    ['the result page on another host', 'https://www.shop.example.cl/complete?status=cancel', 'get'],
    ['another page', 'https://shop.example.cl/complete/cancel', 'get'],
  ] as const) {
    test(`after a cancel to ${how} is a ${kind}`, async () => {
      const { app, environment, transaction } = await openCheckout(openTestDatabase, { changes: { urlCancel } });
      await cancelTransaction(app, transaction);
      const back = returnToShop((await selectTransaction(app.db, transaction)) as Transaction, environment);
      assert.ok(back.kind !== 'none');
      assert.deepEqual([back.kind, back.url], [kind, urlCancel]);
      if (back.kind === 'get') return;
      const [callback] = await app.db.query<{ body: string }>('select body from callbacks');
      assert.equal(new URLSearchParams(back.fields).toString(), callback?.body);
      assert.deepEqual([back.fields['x_result'], back.fields['x_message']], ['failed', 'Cancelled']);
    });
  }

  test('is a plain GET with the merchant’s query unchanged when nobody has paid', async () => {
    const { app, environment, transaction } = await openCheckout(openTestDatabase);
    assert.deepEqual(returnToShop(transaction, environment), { kind: 'get', url: transaction.url_cancel });
    await cancelTransaction(app, transaction);
    const cancelled = (await selectTransaction(app.db, transaction)) as Transaction;
    assert.deepEqual(returnToShop(cancelled, environment), {
      kind: 'get',
      url: 'https://shop.example.cl/cancel?order=1',
    });
  });
});
