import type { OpenApiDocument, Operation } from './openapi-shape.ts';

/** An operation with its address. `aliases`: equivalent paths. */
export type Described = { method: string; path: string; aliases: string[]; operation: Operation };

/** Lists every operation of the API description, in order. */
export function operationsOf({ paths }: OpenApiDocument): Described[] {
  const entries = Object.entries(paths);
  return entries.flatMap(([path, item]) => {
    if ('$ref' in item) return [];
    const reference = `#/paths/${path.replaceAll('/', '~1')}`;
    const aliases = entries.filter(([, other]) => '$ref' in other && other.$ref === reference).map(([alias]) => alias);
    return (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, aliases, operation }];
    });
  });
}
