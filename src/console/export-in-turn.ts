import type { FastifyReply, FastifyRequest } from 'fastify';
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

type Make = () => Promise<FastifyReply>;

const queues = perInstance((_app: App) =>
  createFairQueue<Make, FastifyReply>({ work: (make) => make(), maxQueued: 50, maxOfAnOwner: 10 }),
);

/**
 * Makes one exported file at a time in a process, because each holds up to 10,000 rows and its whole file in memory.
 * People take turns; pages, forms and streams never wait. Throws `Problem` OVERLOADED if too many files wait already.
 */
export async function exportInTurn(
  app: App,
  visit: { request: FastifyRequest; user: { id: string } },
  make: Make,
): Promise<FastifyReply> {
  const { request, user } = visit;
  const { endpoint } = request.routeOptions.config;
  if (formatOf(visit) === null || request.method === 'POST' || endpoint?.streams === true) return make();
  return queues(app)
    .submit(user.id, make)
    .catch((error: unknown) => {
      throw error instanceof QueueFullError ? new Problem('OVERLOADED') : error;
    });
}
