import assert from 'node:assert/strict';
import type { Actor } from '../../src/audit/actor.ts';
import type { Role } from '../../src/auth/permission.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import type { RefundRequest } from '../../src/refunds/refund-request.ts';
import { requestRefund } from '../../src/refunds/request-refund.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import type { TestApp } from './test-app.ts';
import { createPaidTransaction } from './test-books.ts';
import { createTestEnvironment } from './test-shop.ts';
import { createTestUser, type TestUser } from './test-user.ts';

/** A payment, a person whose refund limit is far below it, and a person who approves. */
export type RefundDesk = {
  environment: ServiceEnvironment;
  paid: Transaction;
  asker: Actor;
  approver: Actor;
  users: { asker: TestUser; approver: TestUser };
};

/** The payment is 150,000; the requester may refund 100,000 per day. */
export async function openRefundDesk(app: TestApp): Promise<RefundDesk> {
  const environment = await createTestEnvironment(app);
  const paid = await createPaidTransaction(app, environment, { amount: 150_000 });
  const paymentServices = [environment.paymentServiceId];
  const asker = await createTestUser(app, { role: 'support', may: [], paymentServices });
  const approver = await createTestUser(app, { role: 'approver', may: [], paymentServices });
  return {
    environment,
    paid,
    asker: actorOf(asker, 'support'),
    approver: actorOf(approver, 'approver'),
    users: { asker, approver },
  };
}

export function actorOf(user: TestUser, role: Role): Actor {
  return userActor({ ...user, role }, '192.0.2.1');
}

/** Requests a refund of the whole payment by default. */
export async function askForRefund(
  app: TestApp,
  { paid, asker: by }: RefundDesk,
  changes: { amount?: number; by?: Actor } = {},
): Promise<RefundRequest> {
  const amount = changes.amount ?? paid.amount;
  const type = amount === paid.amount ? 'total' : 'parcial';
  const making = await requestRefund(app, paid, { amount, type, reason: 'llegó roto', by, ...changes });
  assert.ok('request' in making, JSON.stringify(making));
  return making.request;
}
