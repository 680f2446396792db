import type { App } from '../app.ts';
import type { User } from '../auth/user.ts';
import { Problem } from '../error-catalogue.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { selectOwnedEnvironments } from './payout-owner-queries.ts';

const NONE = {
  en: 'You see no payment service; money can only be taken from one.',
  es: 'No ves ningún servicio de pago; el dinero solo puede salir de uno.',
};
const SEVERAL = {
  en: 'You see several payment services; money can only be taken from one.',
  es: 'Ves varios servicios de pago; el dinero solo puede salir de uno.',
};

/**
 * Finds the payment service whose money a user's request is about, since the transfers API names nobody: the only payment
 * service that the user sees, in the environment of RUBRICA_ENV where the user sees it. Throws `Problem`
 * PAYMENT_SERVICE_AMBIGUOUS.
 */
export async function findPayoutOwner(
  app: App,
  { environmentIds }: Pick<User, 'environmentIds'>,
): Promise<ServiceEnvironment> {
  const seen = await selectOwnedEnvironments(app.db, environmentIds === null ? null : [...environmentIds]);
  const services = new Set(seen.map(({ payment_service_id }) => payment_service_id));
  const [first] = seen;
  if (first === undefined || services.size > 1) {
    const detail = services.size === 0 ? NONE : SEVERAL;
    throw new Problem('PAYMENT_SERVICE_AMBIGUOUS', { detail });
  }
  const { id } = seen.find(({ environment }) => environment === app.config.mode) ?? first;
  return (await findEnvironmentById(app, id)) as ServiceEnvironment;
}
