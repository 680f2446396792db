import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { createFairQueue, QueueFullError } from '../lib/fair-queue.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A waiting file of 4 MB is in memory. */
const queues = perInstance((_app: App) =>
  createFairQueue<() => Promise<unknown>, unknown>({ work: (read) => read(), maxQueued: 20, maxOfAnOwner: 5 }),
);

/**
 * Reads one uploaded file at a time in a process, because a workbook of 3 MB may unpack to half a gigabyte of texts.
 * People take turns. Throws `Problem` OVERLOADED if too many files wait already, 20 of all people or 5 of `user`, and
 * the errors of `read`.
 */
export async function readInTurn<Content>(app: App, user: { id: string }, read: () => Promise<Content>) {
  return queues(app)
    .submit(user.id, read)
    .catch((error: unknown) => {
      throw error instanceof QueueFullError ? new Problem('OVERLOADED') : error;
    }) as Promise<Content>;
}
