import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { QueueFullError } from '../lib/fair-queue.ts';
import { createOwnerTurns } from '../lib/owner-turns.ts';
import { perInstance } from '../lib/per-instance.ts';

const MOST_WAITING = 1000;

// Refunds of a merchant lock the same money, so running them at the same time gains nothing. Waiting in the database,
// they would hold its connections, and SQLite's only writer, which all other requests need.
const turns = perInstance((_app: App) => createOwnerTurns<number>(MOST_WAITING));

/**
 * Runs `work`, which makes a refund, after the earlier refunds of the environment. Rejects with the error of `work`,
 * and with `Problem` `OVERLOADED` if a thousand refunds of the environment wait already.
 */
export function inRefundTurn<Done>(app: App, environmentId: number, work: () => Promise<Done>): Promise<Done> {
  return turns(app)(environmentId, work).catch((error: unknown) => {
    throw error instanceof QueueFullError ? new Problem('OVERLOADED') : error;
  });
}
