import { Problem } from '../error-catalogue.ts';
import { ASSETS, type AssetName } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';

/** Returns the static files of the pages. Shops show some too: `/payments` has the addresses of the methods' marks. */
export const getAsset: Operation = {
  unlimited: true,
  handle: async (_app, request, reply) => {
    const { name } = request.params as { name: string };
    if (!Object.hasOwn(ASSETS, name)) throw new Problem('NOT_FOUND');
    const { type, content, version } = ASSETS[name as AssetName];
    const { v } = request.query as { v?: string };
    return reply
      .header('content-type', type)
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('cache-control', v === version ? 'public, max-age=31536000, immutable' : 'public, max-age=3600')
      .send(content);
  },
};
