import { Type } from './json-schema.ts';

/** The query parameter `limit` of a list: from 1 to `most`, and `usual` where it was not sent. */
export function limitParameter(most: number, usual = most) {
  return {
    name: 'limit',
    in: 'query',
    description: `${usual} unless said`,
    schema: Type.Integer({ minimum: 1, maximum: most }),
  } as const;
}
