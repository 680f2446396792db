import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { createFairQueue, QueueFullError } from '../lib/fair-queue.ts';
import { perInstance } from '../lib/per-instance.ts';

type FileFormat = 'csv' | 'xlsx';

/** Returns the file format that the address of a list asks for; null for a page. */
export function formatOf({ request }: { request: FastifyRequest }): FileFormat | null {
  const { format } = request.query as { format?: unknown };
  const asked = typeof format === 'string' ? format.trim() : null;
  return asked === 'csv' || asked === 'xlsx' ? asked : null;
}

const queues = perInstance((_app: App) =>
  createFairQueue<() => Promise<unknown>, unknown>({ work: (make) => make(), maxQueued: 50, maxOfAnOwner: 10 }),
);

/**
 * Makes one exported file at a time in a process, because each holds up to 10,000 rows and its whole file in memory.
 * People take turns; pages never wait. Throws `Problem` OVERLOADED if too many files wait already.
 */
export async function exportInTurn<Done>(
  app: App,
  visit: { request: FastifyRequest; user: { id: string } },
  make: () => Promise<Done>,
): Promise<Done> {
  if (formatOf(visit) === null) return make();
  return queues(app)
    .submit(visit.user.id, make)
    .catch((error: unknown) => {
      throw error instanceof QueueFullError ? new Problem('OVERLOADED') : error;
    }) as Promise<Done>;
}
