/** A JSON Schema of the 2020-12 dialect, as in the document. */
export type Schema = Record<string, unknown>;

export type Schemas = Record<string, Schema>;

/**
 * Replaces every nested schema with a `$id` by a reference, and adds it to `schemas` under that name. Throws if two
 * different schemas have one name.
 */
export function nameSchemas(schema: object, schemas: Schemas): Schema {
  const { $id: name, ...rest } = schema as Schema & { $id?: string };
  const printed = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, nameWithin(value, schemas)]));
  if (name === undefined) return printed;
  const known = schemas[name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(printed))
    throw new Error(`Two schemas are named ${name}`);
  schemas[name] = printed;
  return { $ref: `#/components/schemas/${name}` };
}

function nameWithin(value: unknown, schemas: Schemas): unknown {
  if (Array.isArray(value)) return value.map((element) => nameWithin(element, schemas));
  return typeof value === 'object' && value !== null ? nameSchemas(value, schemas) : value;
}
