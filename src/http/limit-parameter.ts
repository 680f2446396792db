import { Type } from './json-schema.ts';

/** Creates the query parameter `limit` of a list: from 1 to `most`, with the default `usual`. */
export function limitParameter(most: number, usual = most) {
  return {
    name: 'limit',
    in: 'query',
    description: `Default: ${usual}`,
    schema: Type.Integer({ minimum: 1, maximum: most }),
  } as const;
}
