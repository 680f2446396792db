import type { App } from '../app.ts';
import { selectEnvironmentId } from '../payment-services/payment-service-queries.ts';
import type { Movement, MovementKind } from './movement.ts';
import {
  type BookedMovement,
  type ListedMovement,
  type MovementSearch,
  type SuspenseEntry,
  selectBookedMovements,
  selectMovement,
  selectMovements,
  selectPayouts,
  selectSuspense,
} from './movement-queries.ts';
import type { MovementTarget } from './record-movement.ts';

/** Lists the newest movements of a kind, with the names of their payment service and environment. */
export function listMovements(app: App, kind: MovementKind, limit: number): Promise<ListedMovement[]> {
  return selectMovements(app.db, kind, limit);
}

/** Lists the newest movements of every kind that a search finds, each with the kind of its entry. */
export function listBookedMovements(app: App, search: MovementSearch, limit: number): Promise<BookedMovement[]> {
  return selectBookedMovements(app.db, search, limit);
}

/** Returns a movement by its reference; null if not found. */
export async function findMovement(
  app: App,
  { paymentServiceId, environment }: MovementTarget,
  which: Pick<Movement, 'kind' | 'reference'>,
): Promise<Movement | null> {
  const id = await selectEnvironmentId(app.db, paymentServiceId, environment);
  return id === null ? null : selectMovement(app.db, { environment_id: id, ...which });
}

/** Lists the newest payouts of some environments in a span of time. */
export function listPayouts(
  app: App,
  span: Parameters<typeof selectPayouts>[1],
  limit: number,
): Promise<ListedMovement[]> {
  return selectPayouts(app.db, span, limit);
}

/** Lists the money that was in suspense or still is, the newest first. */
export function listSuspense(app: App, limit: number): Promise<SuspenseEntry[]> {
  return selectSuspense(app.db, limit);
}
