import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disableUser } from '../../src/auth/change-user.ts';
import { findUser } from '../../src/auth/find-user.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { recallLookUps } from '../../src/cli/run/recall-look-ups.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { enqueuePost } from '../../src/outbox/enqueue-post.ts';
import { endWebhook, setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('access to a payment service that moved away and back', (openTestDatabase) => {
  test('stays withdrawn when the other database withdrew it, and the books verify', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const own = [merchant.paymentServiceId];
    const ids = new Map<string, string>();
    for (const name of ['withdrawn', 'left', 'stays', 'chief', 'stranger']) {
      const email = `${name}@example.cl`;
      ids.set(name, (await createTestUser(from, { email, paymentServices: own })).id);
      if (name !== 'stranger') await createTestUser(to, { email, paymentServices: [] });
    }
    const sees = async (app: TestApp, name: string) =>
      (await findUser(app, `${name}@example.cl`))?.environmentIds?.has(merchant.id) ?? null;
    let met = false;
    // Somebody gives the access by hand at this moment. On SQLite that commit would wait for the arrival.
    const granting = onQuery(to, async (sql) => {
      if (met || to.db.engine === 'sqlite' || !sql.startsWith('insert into user_payment_services')) return;
      met = true;
      await setRights(to, 'chief@example.cl', { paymentServices: own }, TESTER);
    });
    await movePaymentService(from, granting, wishOf(merchant));
    assert.equal(await sees(to, 'withdrawn'), true);
    await setRights(to, 'withdrawn@example.cl', { paymentServices: [] }, TESTER);
    await setRights(to, 'chief@example.cl', { paymentServices: 'all' }, TESTER);
    await disableUser(to, 'left@example.cl', TESTER);
    await movePaymentService(to, from, wishOf(merchant));
    assert.equal(await sees(from, 'withdrawn'), false);
    assert.equal(await sees(from, 'left'), false);
    assert.equal(await sees(from, 'stays'), true);
    assert.equal(await sees(from, 'chief'), true);
    // In the other database nobody could decide these requests.
    assert.equal(await sees(from, 'stranger'), true);
    const [act] = await from.db.query<{ said_after: string }>(
      "select said_after from audit_log where action = 'payment_service.moved_here'",
    );
    assert.deepEqual(JSON.parse(act?.said_after ?? '{}').withdrawn, [ids.get('left'), ids.get('withdrawn')]);
    assert.deepEqual((await verifyStore(from)).findings, []);
  });

  test('is given and withdrawn as the old database does while the payment service arrives', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const own = [merchant.paymentServiceId];
    for (const [name, paymentServices] of [
      ['new', []],
      ['old', own],
    ] as const) {
      await createTestUser(from, { email: `${name}@example.cl`, paymentServices });
      await createTestUser(to, { email: `${name}@example.cl`, paymentServices: [] });
    }
    let met = false;
    const arriving = onQuery(to, async (sql) => {
      if (met || !sql.startsWith('update moves set state')) return;
      met = true;
      await setRights(from, 'new@example.cl', { paymentServices: own }, TESTER);
      await setRights(from, 'old@example.cl', { paymentServices: [] }, TESTER);
    });
    await movePaymentService(from, arriving, wishOf(merchant));
    const sees = async (name: string) => (await findUser(to, `${name}@example.cl`))?.environmentIds?.has(merchant.id);
    assert.deepEqual([met, await sees('new'), await sees('old')], [true, true, false]);
  });

  test('names the subscriptions to events that its users do not have in the other database', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const subscribe = (app: TestApp, userId: string) =>
      setWebhook(app, { userId, webhook: 'refunds', url: 'https://erp.example.cl/refunds', method: 'POST' }, TESTER);
    let here = { userId: '', also: '' };
    for (const name of ['both', 'here', 'unknown']) {
      const user = {
        email: `${name}@example.cl`,
        may: ['events:read' as const],
        paymentServices: [merchant.paymentServiceId],
      };
      const { user_id: userId, id: also } = await subscribe(from, (await createTestUser(from, user)).id);
      if (name === 'here') here = { userId, also };
      if (name === 'unknown') continue;
      const { id } = await createTestUser(to, { ...user, paymentServices: [] });
      if (name === 'both') await subscribe(to, id);
    }
    const url = 'https://erp.example.cl/refunds';
    const post = { environmentId: merchant.id, transactionId: 0, sequence: 0, at: from.now(), url, body: '{}' };
    await from.db.transaction(async (tx) => {
      await enqueuePost(tx, { ...post, contentType: 'application/json', idSuffix: `mv_1_${here.also}` });
      await tx.query(`update callbacks set attempts = 1 where webhook_id like '%wh_%'`);
    });
    const { webhooks } = await movePaymentService(from, to, wishOf(merchant));
    // Its post is in the other database now: here it must not change, and the webhook ends all the same.
    const ended = await endWebhook(from, { userId: here.userId, webhook: 'refunds' }, TESTER);
    assert.equal(ended?.posts_ended, 0);
    // What left waits there, not here, and the start of a service must not touch it.
    await recallLookUps(from);
    assert.deepEqual(webhooks, ['here@example.cl refunds', 'unknown@example.cl refunds']);
  });
});
