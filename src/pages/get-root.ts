import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';

/** A browser that opens the address of the service finds out what it is. */
export const getRoot: Operation = {
  handle: async (app, _request, reply) =>
    reply
      .code(302)
      .header('location', `${publicPath(app)}/docs`)
      .send(),
};
