import { createUser } from '../../auth/create-user.ts';
import type { Role } from '../../auth/permission.ts';
import { userActor } from '../../auth/user-actor.ts';
import { selectBalances } from '../../books/balance-queries.ts';
import { Problem } from '../../error-catalogue.ts';
import { prefixedId } from '../../lib/ids.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { selectEnvironmentId } from '../../payment-services/payment-service-queries.ts';
import { approvePayouts } from '../../payouts/approval/decide-payouts.ts';
import { proposePayouts } from '../../payouts/propose-payouts.ts';
import { setPayoutSender } from '../../payouts/set-payout-sender.ts';
import { showPayouts } from '../../payouts/show-payouts.ts';
import type { PayoutOwner } from '../../payouts/transition-payouts.ts';
import { verifyStore } from '../../proof/verify-store.ts';
import type { PaidOrder } from './demo-payment.ts';
import { isGenuine } from './demo-refund.ts';
import type { Demo } from './demo-stage.ts';

const AMOUNT = 1500;

/**
 * Makes a payout: one person proposes it, another approves it, the simulated bank confirms it, and the books show it.
 */
export async function paySomebody(demo: Demo, { paymentServiceId, secretToken }: PaidOrder): Promise<void> {
  demo.step('Pay a recipient: one person proposes');
  const environmentId = await selectEnvironmentId(demo.app.db, paymentServiceId, 'development');
  const owner = (await findEnvironmentById(demo.app, environmentId as number)) as PayoutOwner;
  await setPayoutSender(demo.app, owner, { kind: 'simulated', url: null, key: null }, demo.by);
  demo.show('command', 'bin/rubrica payout sender set simulated --payment-service …');
  const maker = await person(demo, owner, 'finance');
  const payee = { rut: '12.531.909-2', bankCode: '012', account: '12531909', name: 'Ana Núñez', email: null };
  const wish = {
    reference: prefixedId('factura'),
    amount: AMOUNT,
    payee: { ...payee, rutFormat: null },
    message: 'Factura 12',
    callbackUrl: `${demo.receiverUrl}/tef`,
  };
  const batch = { name: 'Proveedores', fileSha256: null };
  const { payouts } = await proposePayouts(demo.app, { owner, by: maker, wishes: [wish], batch });
  const ids = payouts.map(({ id }) => id);
  const [shown] = await showPayouts(demo.app, payouts);
  demo.show('to', `${shown?.recipient?.name}, ${shown?.recipient?.rut}, ${shown?.payout.account_masked}`);
  demo.check(shown?.payout.verdict === 'plausible', `its account was validated: ${shown?.payout.verdict}`);

  demo.step('Another person approves, and the simulated bank confirms');
  const decision = { owner, named: { ids }, reason: null };
  const own = await approvePayouts(demo.app, { ...decision, by: maker }).catch((error: unknown) => error);
  demo.check(own instanceof Problem, 'the proposer cannot approve it');
  const boss = await person(demo, owner, 'approver');
  const approved = await approvePayouts(demo.app, { ...decision, by: boss });
  demo.check(approved[0]?.state === 'approved', `${boss.name} approved it, and the money is reserved`);
  const told = await demo.nextCallback();
  demo.show('callback', told.body);
  const isTold = told.body.startsWith('{"tefResponse":{"status":"completed"') && isGenuine(told, secretToken);
  demo.check(isTold, 'the payout arrived, and its callback is genuine');
  await showBooks(demo, paymentServiceId);
}

async function person(demo: Demo, { paymentServiceId }: PayoutOwner, role: Role) {
  const email = `${prefixedId(role)}@example.cl`;
  const user = await createUser(demo.app, { email, role, paymentServices: [paymentServiceId] }, demo.by);
  return userActor({ ...user, role }, demo.by.origin ?? '');
}

async function showBooks(demo: Demo, paymentServiceId: string): Promise<void> {
  const balances = (await selectBalances(demo.app.db)).filter((one) => one.payment_service_id === paymentServiceId);
  const reserved = balances.find(({ account }) => account === 'payouts:reserved');
  demo.check(
    reserved?.debits === reserved?.credits && Number(reserved?.debits) === AMOUNT,
    'the reserved money has left through the bank: nothing is reserved any more',
  );
  const { ok, entries } = await verifyStore(demo.app);
  demo.check(ok, `all ${entries} entries and their hashes verify (bin/rubrica books verify)`);
}
