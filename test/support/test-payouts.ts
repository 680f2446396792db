import type { Actor } from '../../src/audit/actor.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import type { Environment, ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import type { PayoutWish } from '../../src/payouts/payout-wish.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import type { PayeeWish } from '../../src/payouts/recipients/find-payees.ts';
import { removePayoutSender, setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import type { TestApp } from './test-app.ts';
import { createPaidTransaction } from './test-books.ts';
import { createTestEnvironment } from './test-shop.ts';
import { createTestUser, type TestUser } from './test-user.ts';

/** A merchant with money, a person who proposes payouts, one who approves them, and a program that proposes them. */
export type PayoutDesk = {
  environment: ServiceEnvironment;
  maker: Actor;
  approver: Actor;
  program: Actor;
  users: Record<'maker' | 'approver' | 'program', TestUser>;
};

export async function openPayoutDesk(
  app: TestApp,
  { money = 1_000_000, mode = 'development' }: { money?: number; mode?: Environment } = {},
): Promise<PayoutDesk> {
  const environment = await createTestEnvironment(app, mode);
  if (money > 0) await createPaidTransaction(app, environment, { amount: money });
  const paymentServices = [environment.paymentServiceId];
  const maker = await createTestUser(app, { role: 'finance', may: [], paymentServices });
  const approver = await createTestUser(app, { role: 'approver', may: [], paymentServices });
  const program = await createTestUser(app, { may: ['payouts:create', 'accounts:validate'], paymentServices });
  return {
    environment,
    maker: actor(maker, 'finance'),
    approver: actor(approver, 'approver'),
    program: actor(program, 'integration'),
    users: { maker, approver, program },
  };
}

export function actor(user: TestUser, role: 'finance' | 'approver' | 'integration' | 'owner'): Actor {
  return userActor({ ...user, role }, '192.0.2.1');
}

/** A CuentaRUT: its number is the RUT without the check character. */
export const ANA: PayeeWish = {
  rut: '12.531.909-2',
  bankCode: '012',
  account: '12531909',
  name: 'Ana Núñez',
  email: 'ana@example.cl',
  rutFormat: null,
};

let count = 0;

export function wish(changes: Partial<PayoutWish> = {}): PayoutWish {
  return {
    reference: `payout-${++count}`,
    amount: 10_000,
    payee: ANA,
    message: 'Pago',
    callbackUrl: null,
    ...changes,
  };
}

/** Proposes a batch that waits for approval. */
export async function propose(app: TestApp, desk: PayoutDesk, wishes: PayoutWish[] = [wish()]): Promise<Payout[]> {
  const { environment: owner, maker: by } = desk;
  const batch = { name: 'Proveedores', fileSha256: null };
  return (await proposePayouts(app, { owner, by, wishes, batch })).payouts;
}

/** Proposes a batch and approves it. */
export async function approved(app: TestApp, desk: PayoutDesk, wishes: PayoutWish[] = [wish()]): Promise<Payout[]> {
  const ids = (await propose(app, desk, wishes)).map(({ id }) => id);
  return approvePayouts(app, { owner: desk.environment, named: { ids }, by: desk.approver, reason: null });
}

/** Returns the id of a sender that was set and removed. Payouts that left by it are still its. */
export async function formerSender(app: TestApp, { environment, maker }: PayoutDesk): Promise<string> {
  const { id } = await setPayoutSender(app, environment, { kind: 'simulated', url: null, key: null }, maker);
  await removePayoutSender(app, environment, maker);
  return id as string;
}
