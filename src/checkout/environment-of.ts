import type { App } from '../app.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** The environment that a transaction belongs to. One that is gone is a fault of the store, so it rejects. */
export async function environmentOf(
  app: App,
  { environment_id }: Pick<Transaction, 'environment_id'>,
): Promise<ServiceEnvironment> {
  const environment = await findEnvironmentById(app, environment_id);
  if (environment === null) throw new Error('A transaction without its environment');
  return environment;
}
