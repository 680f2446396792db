/** A JSON Schema of the 2020-12 dialect, as it is printed. */
export type Schema = Record<string, unknown>;

export type Schemas = Record<string, Schema>;

/**
 * A schema for the description, in which every schema with a `$id`, however deep, is a reference to `schemas` and is put
 * there under that name. Throws when two different schemas have one name.
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
