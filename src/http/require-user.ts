import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { authenticateBearer } from '../auth/authenticate-bearer.ts';
import type { User } from '../auth/user.ts';
import { Problem } from '../error-catalogue.ts';

/** The user of the request's access token; the first thing that an endpoint with access `bearer` asks for. */
export function requireUser(app: App, request: FastifyRequest): Promise<User> {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  return authenticateBearer(app, authorization, typeof apiKey === 'string' ? apiKey : undefined);
}

/** The same for access `payouts`. */
export async function requirePayouts(app: App, request: FastifyRequest): Promise<User> {
  const user = await requireUser(app, request);
  if (!user.payouts) throw new Problem('PAYOUTS_NOT_ENABLED');
  return user;
}
