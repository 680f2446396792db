import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { App } from '../app.ts';
import { findConsoleSession } from '../auth/sign-in/console-session.ts';
import { authenticateBearer } from '../auth/tokens/authenticate-bearer.ts';
import { Problem } from '../error-catalogue.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createFairShares } from '../lib/fair-shares.ts';
import { clientNetworks } from '../lib/network/client-network.ts';
import { perInstance } from '../lib/per-instance.ts';
import { SERVER_LIMITS } from './server-limits.ts';

/** Two wholes, so that strangers from many networks leave users their own. */
const sharesOf = perInstance((_app: App) => ({
  users: createFairShares(SERVER_LIMITS.largeBodiesBytes),
  strangers: createFairShares(SERVER_LIMITS.largeBodiesBytes),
}));

/**
 * Returns the hook of an endpoint that takes large bodies; nothing for another one. It reserves memory for a large body
 * until its response, in the share of the user whose credentials come with it, or else of the client's network. Throws
 * `Problem` OVERLOADED if that share is used up.
 */
export function shareLargeBodies(app: App, { access, bodyLimit }: Endpoint): Pick<RouteOptions, 'onRequest'> {
  if (bodyLimit === undefined) return {};
  return {
    onRequest: async (request, reply) => {
      const bytes = Number(request.headers['content-length'] ?? bodyLimit);
      // Larger bodies are refused by their length; smaller ones need no share.
      if (bytes <= bodyLimit && bytes > SERVER_LIMITS.bodyBytes)
        await takeLargeBody(app, request, reply, access, bytes);
    },
  };
}

async function takeLargeBody(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  access: Endpoint['access'],
  bytes: number,
): Promise<void> {
  // Credentials that cannot be checked now are checked again when the request is handled.
  const user = await findSender(app, request, access).catch(() => null);
  // The client has left, and `close` does not come again.
  if (reply.raw.destroyed) return;
  const shares = sharesOf(app)[user === null ? 'strangers' : 'users'];
  const owners = user === null ? clientNetworks(request.ip) : [user.id];
  if (!shares.take(owners, bytes)) {
    app.metrics.refused.inc({ reason: 'large_bodies' });
    throw new Problem('OVERLOADED');
  }
  reply.raw.once('close', () => shares.release(owners, bytes));
}

/** Returns the user of the access token, or of the session; null without valid ones. */
async function findSender(
  app: App,
  request: FastifyRequest,
  access: Endpoint['access'],
): Promise<{ id: string } | null> {
  if (access === 'session') {
    // Loaded with the first screen.
    const { cookieOf } = await import('../console/console-visit.ts');
    return (await findConsoleSession(app, cookieOf(app, request), { isClick: false }))?.user ?? null;
  }
  const { authorization, 'x-api-key': apiKey } = request.headers;
  return authenticateBearer(app, authorization, typeof apiKey === 'string' ? apiKey : undefined);
}
