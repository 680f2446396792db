import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';

/** Redirects a browser from the root address to the documentation. */
export const getRoot: Operation = {
  handle: async (app, _request, reply) =>
    reply
      .code(302)
      .header('location', `${publicPath(app)}/docs`)
      .send(),
};
