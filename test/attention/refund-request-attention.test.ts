import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { measureAttention } from '../../src/attention/measure-attention.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';

const HOUR = 3_600_000;

forEachEngine('refunds that wait for an approval', (openTestDatabase) => {
  test('are listed at once with age, amount, merchant and command, until they are decided', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openRefundDesk(app);
    const since = app.now();
    const first = await askForRefund(app, desk);
    app.now.advance(HOUR);
    const second = await askForRefund(app, desk, { amount: 120_000 });
    const measured = async () => (await measureAttention(app)).find(({ kind }) => kind === 'refund_request');
    const listed = async () => (await listAttention(app, 'refund_request', 10)).map(({ id }) => id);
    const by = desk.users.asker.email;
    assert.deepEqual((await listAttention(app, null, 1))[0], {
      kind: 'refund_request',
      id: first.id,
      payment_service: desk.environment.paymentServiceId,
      name: 'Test shop',
      environment: 'development',
      transaction: desk.paid.id,
      taken_by: null,
      taken_at: null,
      since,
      age: HOUR,
      amount: 150_000,
      currency: 'CLP',
      reason: `${by} asks for a refund above the limit, and another person approves it: llegó roto`,
      command: `bin/rubrica refund approve ${first.id} --as EMAIL`,
    });
    assert.deepEqual(await listed(), [first.id, second.id]);
    assert.deepEqual([(await measured())?.count, (await measured())?.oldest], [2, since]);
    const [spanish] = await listAttention(app, 'refund_request', 10, 'es');
    assert.equal(spanish?.reason, `${by} pide una devolución sobre su límite, y otra persona la aprueba: llegó roto`);
    await rejectRefundRequest(app, first, { by: desk.approver, reason: 'ya se cambió' });
    assert.deepEqual(await listed(), [second.id]);
    await approveRefundRequest(app, second, { by: desk.approver, reason: null });
    assert.deepEqual(await listed(), []);
    assert.deepEqual([(await measured())?.count, (await measured())?.oldest], [0, null]);
  });
});
