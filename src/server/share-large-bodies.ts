import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { createFairShares } from '../lib/fair-shares.ts';
import { clientNetworks } from '../lib/network/client-network.ts';
import { perInstance } from '../lib/per-instance.ts';
import { SERVER_LIMITS } from './server-limits.ts';

const sharesOf = perInstance((_app: App) => createFairShares(SERVER_LIMITS.largeBodiesBytes));

/**
 * Reserves memory for a large body of an unauthenticated request, until its response. Returns a refusal if the client's
 * network has used its share.
 */
export function takeLargeBody(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  most: number,
): Problem | undefined {
  const bytes = Number(request.headers['content-length'] ?? most);
  // Larger bodies are refused by their length; smaller ones need no share.
  if (bytes > most || bytes <= SERVER_LIMITS.bodyBytes) return undefined;
  const networks = clientNetworks(request.ip);
  if (!sharesOf(app).take(networks, bytes)) {
    app.metrics.refused.inc({ reason: 'large_bodies' });
    return new Problem('OVERLOADED');
  }
  reply.raw.once('close', () => sharesOf(app).release(networks, bytes));
  return undefined;
}
