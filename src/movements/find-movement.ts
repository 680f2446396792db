import type { App } from '../app.ts';
import { selectEnvironmentId } from '../payment-services/payment-service-queries.ts';
import type { Movement } from './movement.ts';
import { selectMovement } from './movement-queries.ts';
import type { MovementTarget } from './record-movement.ts';

/** Returns a movement by its reference; null if not found. */
export async function findMovement(
  app: App,
  { paymentServiceId, environment }: MovementTarget,
  which: Pick<Movement, 'kind' | 'reference'>,
): Promise<Movement | null> {
  const id = await selectEnvironmentId(app.db, paymentServiceId, environment);
  return id === null ? null : selectMovement(app.db, { environment_id: id, ...which });
}
