import type { App } from '../app.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentIdsOf } from './payment-service-queries.ts';

/**
 * The ids of the environments of one kind, of one payment service or of all, as far as they are among `visible` (null:
 * all are). What is tested and what is earned are never asked for together.
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
