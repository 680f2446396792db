import { Type } from './json-schema.ts';

/** The query parameter `after` of a list with pages: the `next` of the page before. An empty one is as if it were absent. */
export const CURSOR_PARAMETER = {
  name: 'after',
  in: 'query',
  description: '`next` of the page before; empty or left out, the list begins',
  schema: Type.String(),
  allowEmptyValue: true,
} as const;
