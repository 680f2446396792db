import { findDevelopment } from '../../api/listeners/listener-reply.ts';
import type { App } from '../../app.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { missingOption, notFound, unknownPaymentService } from '../print.ts';

/**
 * Returns the development environment of a payment service of this store; without an id, of the only one. Throws
 * `CommandError`.
 */
export async function findOwnDevelopment(app: App, paymentServiceId: string | undefined): Promise<ServiceEnvironment> {
  const ids = await listEnvironmentIds(app, 'development', paymentServiceId ?? null, null);
  if (paymentServiceId === '' || (ids.length === 0 && paymentServiceId !== undefined))
    throw unknownPaymentService(paymentServiceId);
  if (ids.length === 0)
    throw notFound("There is no payment service yet: bin/rubrica payment-service create --name 'Mi tienda'");
  if (ids.length > 1)
    throw missingOption(
      `There are ${ids.length} payment services: say which with --payment-service ID. bin/rubrica payment-service list has the ids.`,
    );
  return findDevelopment(app, paymentServiceId ?? null, null);
}
