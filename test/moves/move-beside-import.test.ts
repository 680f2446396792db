import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Tx } from '../../src/db/database.ts';
import { beginMove } from '../../src/moves/begin-move.ts';
import { listMoves } from '../../src/moves/list-moves.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { importPaymentService, ServiceTokenTaken } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
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

forEachEngine(
  'a Secret Token that is moved and belongs to another payment service of the target',
  (openTestDatabase) => {
    const held = { code: 'MOVE_SECRET_HELD' };
    const open = async () => {
      const databases = await twoWithShop(openTestDatabase);
      const { merchant } = databases;
      return { ...databases, id: merchant.paymentServiceId, secret: merchant.secrets[0]?.text ?? '' };
    };

    test('is refused before anything is copied, until it has closed for both', async () => {
      const { from, to, merchant, id, secret } = await open();
      const { id: other } = await importToken(to, 'other', secret);
      const refused = await movePaymentService(from, to, wishOf(merchant)).catch((error: Error) => error);
      const message = refused instanceof Error ? refused.message : '';
      assert.ok(!message.includes(secret));
      assert.equal(
        message,
        `A Secret Token of ${id} is or was one of payment service ${other} of the other database. Two merchants with one secret could sign for each other: give each a Secret Token of its own, at its clients too, and move when the shared one has closed: bin/rubrica payment-service rotate ${id} --environment development (here); bin/rubrica payment-service rotate ${other} --environment production (in the other database)`,
      );
      assert.deepEqual([await listMoves(from), await listMoves(to)], [[], []]);
      await rotateSecretToken(from, id, 'development', 0, TESTER);
      await assert.rejects(movePaymentService(from, to, wishOf(merchant)), held);
      await rotateSecretToken(to, other, 'production', 0, TESTER);
      await movePaymentService(from, to, wishOf(merchant));
    });

    test('is refused if that was imported after the move began, and the move can be undone', async () => {
      const { from, to, merchant, id, secret } = await open();
      await beginMove(from, to, id, TESTER);
      await importToken(to, 'other', secret);
      await assert.rejects(movePaymentService(from, to, wishOf(merchant)), held);
      await undoMove(from, to, id, TESTER);
      await createTestTransaction(from, merchant, { reference: 'GOES-ON' });
    });

    test('is refused if an import that did not see it commits beside the copy', async () => {
      const { from, to, merchant, id, secret } = await open();
      await beginMove(from, to, id, TESTER);
      let moving: Promise<unknown> | undefined;
      const importing = onQuery(to, async (sql) => {
        if (moving !== undefined || !sql.startsWith('update audit_head set hash')) return;
        moving = movePaymentService(from, to, wishOf(merchant)).catch((error: unknown) => error);
        await untilQueued(to.db);
      });
      await importToken(importing, 'other', secret);
      assert.equal(((await moving) as { code?: string }).code, held.code);
    });

    test('is not imported if the move brings it after the first look of the import', async () => {
      const { from, to, merchant, id, secret } = await open();
      const transaction: Database['transaction'] = async (work, kind) => {
        await movePaymentService(from, to, wishOf(merchant));
        return to.db.transaction(work, kind);
      };
      const importing = { ...to, db: { ...to.db, transaction } };
      await assert.rejects(importToken(importing, 'other', secret), { holder: id });
      assert.deepEqual(await to.db.query("select id from payment_services where name = 'Imported'"), []);
    });
  },
);

function importToken(app: TestApp, serviceToken: string, secret = 'e1'.repeat(32)) {
  const pair = { service_token: serviceToken, secret_token: secret };
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
