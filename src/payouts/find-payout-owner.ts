import type { App } from '../app.ts';
import type { User } from '../auth/user.ts';
import { Problem } from '../error-catalogue.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment, ServiceEnvironment } from '../payment-services/payment-service.ts';
import { selectOwnedEnvironments } from './payout-owner-queries.ts';

const NONE = {
  en: 'You see no payment service. A person who manages users gives you one: `bin/rubrica user payment-services`.',
  es: 'No ves ningún servicio de pago. Quien administra los usuarios te da uno: `bin/rubrica user payment-services`.',
};
const UNSEEN = {
  en: 'There is no such payment service, or you do not see it in this environment.',
  es: 'No existe ese servicio de pago, o no lo ves en este ambiente.',
};
const SEVERAL = {
  en: 'You see several payment services. Name one as `paymentServiceId` where the request has it; elsewhere use a user of one payment service.',
  es: 'Ves varios servicios de pago. Nombra uno en `paymentServiceId` si la solicitud lo tiene; si no, usa un usuario de un solo servicio de pago.',
};

/** The payment service and the environment that a request names; null: not named. */
export type NamedOwner = { readonly paymentServiceId: string | null; readonly environment: Environment | null };

/**
 * Finds the payment service whose money a user's request is about: the one that the request names, or the only one that
 * the user sees (the transfers API names none). The environment is the named one, else RUBRICA_ENV. If the request
 * names neither, it is the other environment if the user does not see that one. Throws `Problem` NOT_FOUND or
 * PAYMENT_SERVICE_AMBIGUOUS.
 */
export async function findPayoutOwner(
  app: App,
  { environmentIds }: Pick<User, 'environmentIds'>,
  named: NamedOwner = { paymentServiceId: null, environment: null },
): Promise<ServiceEnvironment> {
  if (named.paymentServiceId !== null) {
    const environment = named.environment ?? app.config.mode;
    const [id] = await listEnvironmentIds(app, environment, named.paymentServiceId, environmentIds);
    if (id !== undefined) return (await findEnvironmentById(app, id)) as ServiceEnvironment;
    throw new Problem('NOT_FOUND', { detail: UNSEEN });
  }
  const seen = await selectOwnedEnvironments(app.db, environmentIds === null ? null : [...environmentIds]);
  const services = new Set(seen.map(({ payment_service_id }) => payment_service_id));
  const [first] = seen;
  if (first === undefined || services.size > 1) {
    const detail = services.size === 0 ? NONE : SEVERAL;
    throw new Problem('PAYMENT_SERVICE_AMBIGUOUS', { detail });
  }
  const wanted = seen.find(({ environment }) => environment === (named.environment ?? app.config.mode));
  if (wanted === undefined && named.environment !== null) throw new Problem('NOT_FOUND', { detail: UNSEEN });
  return (await findEnvironmentById(app, (wanted ?? first).id)) as ServiceEnvironment;
}
