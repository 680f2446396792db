import type { App } from '../app.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentIdsOf } from './payment-service-queries.ts';

/**
 * Lists the ids of the environments of one kind, of one payment service (null: of all), that are in `visible` (null:
 * all are). Test data and real money are never listed together.
 */
export async function listEnvironmentIds(
  app: App,
  environment: Environment,
  paymentServiceId: string | null,
  visible: ReadonlySet<number> | null,
): Promise<number[]> {
  const ids = await selectEnvironmentIdsOf(app.db, environment, paymentServiceId);
  return ids.filter((id) => visible?.has(id) ?? true);
}
