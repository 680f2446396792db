import type { App } from '../../src/app.ts';
import { type MovementWish, type Recording, recordMovement } from '../../src/movements/record-movement.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { TESTER } from './test-actor.ts';

let references = 0;

/** Records a payout to the merchant, under a new reference unless the test gives one. */
export function payOut(
  app: App,
  { paymentServiceId, environment }: ServiceEnvironment,
  amount: number,
  changes: Partial<MovementWish> = {},
): Promise<Recording> {
  const wish = { kind: 'payout' as const, amount, commission: 0, currency: 'CLP', paymentMethod: null };
  const reference = `REF-${++references}`;
  return recordMovement(app, { paymentServiceId, environment }, { ...wish, reference, by: TESTER, ...changes });
}

/** Records a deposit by the simulated method in the same way. */
export function deposit(
  app: App,
  environment: ServiceEnvironment,
  amount: number,
  changes: Partial<MovementWish> = {},
): Promise<Recording> {
  return payOut(app, environment, amount, { kind: 'deposit', paymentMethod: 'simulated', ...changes });
}

/** Sets a fee of 10 % and 50 minor units for each CLP payment by the simulated method. */
export async function setTestFee(app: App, { paymentServiceId, environment }: ServiceEnvironment): Promise<void> {
  const target = { paymentServiceId, environment, method: 'simulated', currency: 'CLP' };
  await setFee(app, target, { rate_ppm: 100_000, fixed: 50 }, TESTER);
}
