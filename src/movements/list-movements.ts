import type { App } from '../app.ts';
import type { MovementKind } from './movement.ts';
import {
  type ListedMovement,
  type SuspenseEntry,
  selectMovements,
  selectPayouts,
  selectSuspense,
} from './movement-queries.ts';

/** The newest of a kind, with the names of their payment service and environment. */
export function listMovements(app: App, kind: MovementKind, limit: number): Promise<ListedMovement[]> {
  return selectMovements(app.db, kind, limit);
}

/** The newest payouts of some environments, in a span of time. */
export function listPayouts(
  app: App,
  span: Parameters<typeof selectPayouts>[1],
  limit: number,
): Promise<ListedMovement[]> {
  return selectPayouts(app.db, span, limit);
}

/** Money that was in suspense or still is, the newest first. */
export function listSuspense(app: App, limit: number): Promise<SuspenseEntry[]> {
  return selectSuspense(app.db, limit);
}
