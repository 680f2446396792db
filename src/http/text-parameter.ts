import { Type } from './json-schema.ts';

/**
 * Creates a query parameter that filters by a text. An empty value is refused: a shell variable that is not set would
 * match nothing.
 */
export function textParameter<const Name extends string>(name: Name, description: string) {
  return { name, in: 'query', description, schema: Type.String({ minLength: 1 }) } as const;
}
