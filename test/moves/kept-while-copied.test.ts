import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteOldMails } from '../../src/mail/deliver-mails.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { deleteOldCallbacks } from '../../src/outbox/delete-old-callbacks.ts';
import { findElsewhere } from '../../src/payment-services/elsewhere.ts';
import { forEachEngine } from '../support/engines.ts';
import { deliverDue, diesOnLeaving, twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { TestApp } from '../support/test-app.ts';

const DAY = 86_400_000;

forEachEngine('a payment service that is being copied', (openTestDatabase) => {
  test('keeps expired data in the other database until it has arrived', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await deliverDue({ ...from, fetch: taken }, merchant);
    await from.db.transaction((tx) =>
      tx.query(
        `insert into mails (id, environment_id, transaction_id, address, language, asked_by_payer, state, attempts,
           created_at, next_attempt_at, finished_at)
         select 'mail_1', environment_id, id, 'buyer@example.cl', 'es', 0, 'sent', 1, created_at, created_at, created_at
         from transactions where environment_id = $1`,
        [merchant.id],
      ),
    );
    from.now.advance(31 * DAY);
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    await forget(to);
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual(await countOf(to, merchant.id), { mails: 1, callbacks: 1, delivery_attempts: 1 });
    await forget(to);
    assert.deepEqual(await countOf(to, merchant.id), { mails: 0, callbacks: 0, delivery_attempts: 0 });
  });

  test('does not send a callback again that the old database has sent and deleted since it was copied', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    assert.equal(await deliverDue({ ...from, fetch: taken }, merchant), 1);
    from.now.advance(31 * DAY);
    await forget(from);
    await movePaymentService(from, to, wishOf(merchant));
    assert.equal(await deliverDue(to, merchant), 0);
    assert.equal((await countOf(to, merchant.id)).callbacks, 0);
  });
});

const taken: TestApp['fetch'] = async () => ({
  kind: 'answered',
  status: 200,
  retryAfter: null,
  excerpt: '',
  durationMs: 1,
});

/** Deletes like a worker with RETENTION_CALLBACKS=30 and RETENTION_DELIVERY_ATTEMPTS=30. */
async function forget(app: TestApp): Promise<void> {
  const retentionDays = { ...app.config.retentionDays, callbacks: 30, deliveryAttempts: 30 };
  const worker = { ...app, config: { ...app.config, retentionDays } };
  while ((await deleteOldCallbacks(worker, 10)) > 0);
  await deleteOldMails(worker, async () => (await findElsewhere(app)).arriving, 10);
}

async function countOf(app: TestApp, environmentId: number) {
  const count = async (table: string) =>
    (await app.db.query(`select id from ${table} where environment_id = $1`, [environmentId])).length;
  return {
    mails: await count('mails'),
    callbacks: await count('callbacks'),
    delivery_attempts: await count('delivery_attempts'),
  };
}
