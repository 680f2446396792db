import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { QueueFullError } from '../lib/fair-queue.ts';
import { createOwnerTurns } from '../lib/owner-turns.ts';
import { perInstance } from '../lib/per-instance.ts';

const MOST_WAITING = 1000;

// Refunds of a merchant lock the same money, so that they gain nothing by coming together; waiting in the database they would hold
// its connections, and on SQLite its one writer, from the payments and acts of all others.
const turns = perInstance((_app: App) => createOwnerTurns<number>(MOST_WAITING));

/**
 * Makes a refund of an environment when those before it are made. Rejects with the error of `work`, and with `Problem` `OVERLOADED`
 * where a thousand of the environment wait already.
 */
export function inRefundTurn<Done>(app: App, environmentId: number, work: () => Promise<Done>): Promise<Done> {
  return turns(app)(environmentId, work).catch((error: unknown) => {
    throw error instanceof QueueFullError ? new Problem('OVERLOADED') : error;
  });
}
