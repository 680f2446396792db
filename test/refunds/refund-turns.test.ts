import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { createRefund } from '../../src/refunds/create-refund.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const BURST = 40;

forEachEngine('concurrent refunds of one merchant', (openTestDatabase) => {
  test('let another write happen before the last of them', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment, { reference: 'ORD-1', amount: 10_000 });
    let accepted = 0;
    const wish = (n: number) => ({ amount: 1, type: 'parcial', idempotencyKey: `key-${n}`, by: TESTER }) as const;
    const refunds = Array.from({ length: BURST }, async (_, n) => {
      if ((await createRefund(app, paid, wish(n))).kind === 'accepted') accepted++;
    });
    const act = { at: app.now(), by: TESTER, action: 'user.role_set', subject: { kind: 'user', id: 'usr_1' } } as const;
    // When the first is accepted, all have been requested.
    await Promise.race(refunds);
    await app.db.transaction((tx) => recordAudit(tx, act));
    assert.ok(
      accepted < BURST / 2,
      `the act does not wait for the burst: ${accepted} of ${BURST} refunds came before it`,
    );
    await Promise.all(refunds);
    assert.equal(accepted, BURST);
  });
});
