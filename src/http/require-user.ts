import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { authenticateBearer } from '../auth/authenticate-bearer.ts';
import type { User } from '../auth/user.ts';
import { Problem } from '../error-catalogue.ts';
import { limitUser } from './request-limits.ts';

/** The user of the request's access token; the first thing that an endpoint with access `bearer` asks for. */
export async function requireUser(app: App, request: FastifyRequest): Promise<User> {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  const user = await authenticateBearer(app, authorization, typeof apiKey === 'string' ? apiKey : undefined);
  if (app.config.rateLimits) await limitUser(app, request, user.id);
  return user;
}

/** The same for access `payouts`. */
export async function requirePayouts(app: App, request: FastifyRequest): Promise<User> {
  const user = await requireUser(app, request);
  if (!user.payouts) throw new Problem('PAYOUTS_NOT_ENABLED');
  return user;
}
