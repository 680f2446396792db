import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';

/** Whoever opens the address of the service in a browser finds out what it is. */
export const getRoot: Operation = {
  handle: async (app, _request, reply) =>
    reply
      .code(302)
      .header('location', `${publicPath(app)}/docs`)
      .send(),
};
