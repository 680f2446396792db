import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { countAct } from '../audit/count-acts.ts';
import { missingPermission } from '../auth/missing-permission.ts';
import { mayAny, type Needed } from '../auth/permission.ts';
import { requestActor } from '../auth/person-of.ts';
import { authenticateBearer } from '../auth/tokens/authenticate-bearer.ts';
import type { User } from '../auth/user.ts';
import { userActor } from '../auth/user-actor.ts';
import { clientNetwork } from '../lib/network/client-network.ts';
import { limitUser } from './request-limits.ts';

/**
 * Returns the user of the request's access token. Every endpoint with access `bearer` calls it first. Throws `Problem`
 * unless the user has a permission that the table of endpoints names.
 */
export async function requireUser(app: App, request: FastifyRequest): Promise<User> {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const user = await authenticateBearer(app, authorization, typeof apiKey === 'string' ? apiKey : undefined);
  if (app.config.rateLimits) await limitUser(app, request, user.id);
  const needed = neededFor(request);
  if (!mayAny(user.may, needed)) {
    const [permission] = needed;
    const by = userActor(user, clientNetwork(request.ip));
    countAct(app, { by, action: 'user.permission_refused', subject: { kind: 'permission', id: permission } });
    throw missingPermission(permission);
  }
  return user;
}

/** Returns the user of `requireUser` as the actor of what the request changes. */
export function actorOf(request: FastifyRequest, user: User): Actor {
  return requestActor(user, clientNetwork(request.ip), neededFor(request));
}

/** Throws for an endpoint without a permission in the table, so a mistake there lets nobody in. */
function neededFor(request: FastifyRequest): Needed {
  const { endpoint } = request.routeOptions.config;
  if (endpoint?.needed === undefined) throw new Error('The table of endpoints names no permission for this one');
  return endpoint.needed;
}
