import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import { listOwnRequests, listRefundRequests } from '../../src/refunds/find-refund-request.ts';
import type { RefundRequest } from '../../src/refunds/refund-request.ts';
import { selectRefundRequestsOf } from '../../src/refunds/refund-request-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { diesOnLeaving, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { askForRefund, openRefundDesk, type RefundDesk } from '../support/test-refund-requests.ts';

forEachEngine('a refund request of a moving payment service', (openTestDatabase) => {
  const copied = async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    const desk = await openRefundDesk(from);
    // About half of all ids are smaller than this one, so a smaller one comes soon.
    const request = await askAnew(from, desk, await askForRefund(from, desk), (id) => id > 'rr_g');
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(desk.environment)), /killed/);
    // Nobody continues the move, so the pause ends by itself.
    from.now.advance(60_000);
    return { from, to, desk, request };
  };
  const arrives = async (from: TestApp, to: TestApp, desk: RefundDesk) => {
    const before = await selectRefundRequestsOf(from.db, desk.paid);
    await movePaymentService(from, to, wishOf(desk.environment));
    assert.deepEqual(await selectRefundRequestsOf(to.db, desk.paid), before);
    assert.equal(before.filter(({ state }) => state === 'waiting').length, 1);
    assert.deepEqual(await waitingIn(from), [], 'the request no longer waits in the old database');
    assert.deepEqual(await waitingIn(to), [before.find(({ state }) => state === 'waiting')?.id]);
    assert.deepEqual(await ownIn(from, desk), [], 'nor is it listed there for the person who made it');
    assert.equal((await ownIn(to, desk)).length, before.length);
  };

  test('can be withdrawn and made again during the copy, and waits only in the new database', async () => {
    const { from, to, desk, request } = await copied();
    // With a smaller id the new request is copied before the one that it replaces.
    await askAnew(from, desk, request, (id) => id < request.id);
    await arrives(from, to, desk);
  });

  test('can be withdrawn and made again after an undone move, and the next move succeeds', async () => {
    const { from, to, desk, request } = await copied();
    await undoMove(from, to, desk.environment.paymentServiceId, TESTER);
    // With a smaller id the new request is copied before the one that it replaces.
    await askAnew(from, desk, request, (id) => id < request.id);
    await arrives(from, to, desk);
  });
});

async function waitingIn(app: TestApp): Promise<string[]> {
  return (await listRefundRequests(app, false, 10)).map(({ id }) => id);
}

async function ownIn(app: TestApp, { users: { asker } }: RefundDesk): Promise<string[]> {
  const person = { id: asker.id, email: asker.email, environmentIds: null };
  return (await listOwnRequests(app, person, 100)).map(({ id }) => id);
}

/** Withdraws a request and makes it again, until the newest has such an id. */
async function askAnew(
  app: TestApp,
  desk: RefundDesk,
  first: RefundRequest,
  isSuch: (id: string) => boolean,
): Promise<RefundRequest> {
  let last = first;
  do {
    app.now.advance(1000);
    await rejectRefundRequest(app, last, { by: desk.asker, reason: 'otro motivo' });
    last = await askForRefund(app, desk);
  } while (!isSuch(last.id));
  return last;
}
