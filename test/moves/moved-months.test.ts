import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { closeMonth, describeMonth } from '../../src/movements/close-month.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoDatabases, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const JANUARY = ['2026-01', 'development'] as const;

forEachEngine('a month of a payment service that moves', (openTestDatabase) => {
  test('can be closed where it left with undecided money, which only the other database can decide', async () => {
    const { from, to, script } = await twoDatabases(openTestDatabase, await openTestDatabase());
    const merchant = await createTestEnvironment(from);
    script.starts.push({ kind: 'declined', detail: {} });
    await createLatePayment(from, merchant);
    await keepUnknownLine(from, merchant.paymentServiceId);
    from.now.advance(20 * 86_400_000);
    assert.deepEqual(await preventing(from), [0, 1, 2]);
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual(
      [await preventing(from), await preventing(to)],
      [
        [0, 0, 0],
        [0, 1, 2],
      ],
    );
    assert.equal(await closeMonth(from, ...JANUARY, TESTER), null);
    assert.equal((await describeMonth(from, ...JANUARY))?.isAsClosed, true);
    assert.equal((await verifyStore(from)).ok, true);
  });

  test('stays as it was closed where the payment service arrives later', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const newcomer = await createTestEnvironment(to);
    await createPaidTransaction(to, newcomer);
    from.now.advance(20 * 86_400_000);
    assert.equal(await closeMonth(to, ...JANUARY, TESTER), null);
    from.now.advance(1000);
    await movePaymentService(from, to, wishOf(merchant));
    assert.equal((await describeMonth(to, ...JANUARY))?.isAsClosed, true);
    assert.equal((await verifyStore(to)).ok, true);
    assert.equal(await closeMonth(from, ...JANUARY, TESTER), null);
    from.now.advance(1000);
    await movePaymentService(to, from, wishOf(merchant));
    assert.equal((await describeMonth(from, ...JANUARY))?.isAsClosed, true, 'it was there at the close');
    await movePaymentService(to, from, wishOf(newcomer));
    assert.equal((await describeMonth(from, ...JANUARY))?.isAsClosed, true, 'only the other one is new');
  });
});

/** Keeps a file of the acquirer for the merchant, with a line that the books do not have. */
async function keepUnknownLine(app: TestApp, paymentServiceId: string): Promise<void> {
  const content = Buffer.from('fecha;orden de compra;monto\n2026-01-15;UNKNOWN;7000\n');
  const settlement = await readSettlement(Readable.from([content]));
  const scope = { environment: 'development', paymentServiceId, method: 'simulated' } as const;
  await keepSettlement(app, scope, settlement, { evidence: describeEvidence('january.csv', content), by: TESTER });
}

/** Returns the counts of what prevents closing January: unbooked facts, suspense, differences. */
async function preventing(app: TestApp) {
  const state = await describeMonth(app, ...JANUARY);
  return [state?.unbooked, state?.suspense, state?.differences];
}
