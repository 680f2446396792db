import type { Schema, Schemas } from './openapi-schemas.ts';

// Hidden from JSON: it is the object around an optional member that says which ones are required.
const OPTIONAL = Symbol('optional');

/**
 * Makes the schemas of the API description; `keywords` are put into them as they are. Schemas with a `$id` become named
 * components. A library for it took 18 MB and a third of the time to start, for what is here.
 */
export const Type = {
  String: (keywords: Schema = {}): Schema => ({ type: 'string', ...keywords }),
  Integer: (keywords: Schema = {}): Schema => ({ type: 'integer', ...keywords }),
  Number: (keywords: Schema = {}): Schema => ({ type: 'number', ...keywords }),
  Boolean: (keywords: Schema = {}): Schema => ({ type: 'boolean', ...keywords }),
  Null: (keywords: Schema = {}): Schema => ({ type: 'null', ...keywords }),
  Any: (keywords: Schema = {}): Schema => ({ ...keywords }),
  Literal: (text: string, keywords: Schema = {}): Schema => ({ type: 'string', const: text, ...keywords }),
  Array: (items: Schema, keywords: Schema = {}): Schema => ({ type: 'array', items, ...keywords }),
  Union: (anyOf: readonly Schema[], keywords: Schema = {}): Schema => ({ anyOf, ...keywords }),
  Intersect: (allOf: readonly Schema[], keywords: Schema = {}): Schema => ({ allOf, ...keywords }),
  /** An object whose members have names that nobody knows beforehand. */
  Record: (values: Schema, keywords: Schema = {}): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...keywords,
  }),
  /** A member that may be left out. */
  Optional: (schema: Schema): Schema => ({ ...schema, [OPTIONAL]: true }),
  Object: <Properties extends Schemas>(properties: Properties, keywords: Schema = {}) => {
    const required = Object.keys(properties).filter((name) => !(OPTIONAL in (properties[name] as Schema)));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...keywords };
  },
};
