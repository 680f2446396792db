import { publicPath } from './assets.ts';
import type { Endpoint } from './endpoint.ts';

/** Whoever opens the address of the service in a browser finds out what it is. */
export const getRoot: Endpoint = {
  method: 'GET',
  paths: ['/'],
  access: 'public',
  handle: async (app, _request, reply) =>
    reply
      .code(302)
      .header('location', `${publicPath(app)}/docs`)
      .send(),
};
