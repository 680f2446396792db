import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Tx } from '../../src/db/database.ts';
import { beginMove } from '../../src/moves/begin-move.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { importPaymentService, ServiceTokenTaken } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { createTestTransaction } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

forEachEngine('a Service Token that is moved and imported at the same moment', (openTestDatabase) => {
  test('belongs to the moved payment service if its rows were written first', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    let importing: Promise<unknown> | undefined;
    const copying = afterRows(to, 'environments', async () => {
      importing ??= importToken(to, merchant.serviceToken).catch((error: unknown) => error);
      await untilQueued(to.db);
    });
    await movePaymentService(from, copying, wishOf(merchant));
    assert.ok((await importing) instanceof ServiceTokenTaken, String(await importing));
    const found = await loadEnvironment(to, merchant.serviceToken);
    assert.equal(found?.paymentServiceId, merchant.paymentServiceId);
    assert.deepEqual(await to.db.query("select id from payment_services where name = 'Imported'"), []);
  });

  test('belongs to the imported payment service if that commits first, and the move can be undone', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await beginMove(from, to, merchant.paymentServiceId, TESTER);
    let moving: Promise<unknown> | undefined;
    const importing = onQuery(to, async (sql) => {
      if (moving !== undefined || !sql.startsWith('update audit_head set hash')) return;
      moving = movePaymentService(from, to, wishOf(merchant)).catch((error: unknown) => error);
      await untilQueued(to.db);
    });
    const { id } = await importToken(importing, merchant.serviceToken);
    assert.equal(((await moving) as { code?: string }).code, 'MOVE_TAKEN');
    await undoMove(from, to, merchant.paymentServiceId, TESTER);
    assert.equal((await loadEnvironment(to, merchant.serviceToken))?.paymentServiceId, id);
    await createTestTransaction(from, merchant, { reference: 'GOES-ON' });
  });
});

function importToken(app: TestApp, serviceToken: string) {
  const pair = { service_token: serviceToken, secret_token: 'e1'.repeat(32) };
  return importPaymentService(app, 'Imported', 'production', pair, TESTER);
}

/** Returns the app with an `act` inside each commit that has just written rows of this table. */
function afterRows(app: TestApp, table: string, act: () => Promise<void>): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction((tx) => {
      const insertRows: Tx['insertRows'] = async (target, rows, suffix) => {
        const written = await tx.insertRows(target, rows, suffix);
        if (target.name === table) await act();
        return written as never;
      };
      return work({ ...tx, insertRows });
    }, kind);
  return { ...app, db: { ...app.db, transaction } };
}
