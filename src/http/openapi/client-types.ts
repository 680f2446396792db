import type { Schema } from './openapi-schemas.ts';
import type { OpenApiDocument, Operation } from './openapi-shape.ts';

/**
 * The API description as TypeScript, for the client in `sdk/`: a type for every named schema, one for all error codes,
 * and `Operations`, which says for every method and path what is sent and what is answered. The same document always
 * gives the same text.
 */
export function clientTypes(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas);
  const codes = Object.keys(document.components['examples'] ?? {}).map(literal);
  const operations = operationsOf(document).map(([name, operation]) => `  '${name}': ${operationType(operation)};\n`);
  return [
    '// Made from openapi.json by src/http/openapi/write-openapi.ts: not to be changed by hand.\n',
    ...schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema, 0)};\n`),
    `/** The \`code\` of an error. */\nexport type ErrorCode = ${unionOf(codes, 0)};\n`,
    `/** What is sent and answered, by method and path. */\nexport type Operations = {\n${operations.join('')}};\n`,
  ].join('\n');
}

/** Those that are answered with JSON: files, metrics and redirects are not for a client. */
function operationsOf({ paths }: OpenApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries('$ref' in item ? {} : item)
      .filter(([, operation]) => replySchema(operation) !== undefined)
      .map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
  );
}

function operationType(operation: Operation): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const optional = operation.requestBody?.required === true ? '' : '?';
  const members = [
    ...['path', 'query', 'header'].flatMap((place) => parametersType(operation, place)),
    ...(body === undefined ? [] : [`body${optional}: ${typeOf(body, 2)}`]),
    `reply: ${typeOf(replySchema(operation) ?? {}, 2)}`,
  ];
  return `{\n${members.map((member) => `    ${member};\n`).join('')}  }`;
}

function parametersType({ parameters = [] }: Operation, place: string): string[] {
  const ofPlace = parameters.filter((parameter) => parameter.in === place);
  const properties = Object.fromEntries(
    ofPlace.map(({ name, description, schema }) => [name, { ...schema, description }]),
  );
  const required = ofPlace.filter((parameter) => parameter.required).map(({ name }) => name);
  return ofPlace.length === 0 ? [] : [`${place}: ${objectType({ properties, required }, 2)}`];
}

function replySchema({ responses }: Operation): Schema | undefined {
  const reply = responses['200'];
  return reply === undefined || '$ref' in reply ? undefined : reply.content?.['application/json']?.schema;
}

/** A schema as a type; `depth` is how far its lines are indented. */
function typeOf(schema: Schema, depth: number): string {
  const { $ref, const: only, enum: values, anyOf, allOf, items, properties, type } = schema as Keywords;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return literal(only);
  if (values !== undefined) return unionOf(values.map(literal), depth);
  const typesOf = (schemas: Schema[]) => schemas.map((one) => typeOf(one, depth));
  if (anyOf !== undefined) return unionOf(typesOf(anyOf), depth);
  if (allOf !== undefined) return `(${typesOf(allOf).join(' & ')})`;
  if (properties !== undefined) return objectType(schema, depth);
  if (items !== undefined) return `Array<${typeOf(items, depth)}>`;
  return PLAIN_TYPES[type ?? ''] ?? 'unknown';
}

type Keywords = {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema & { description?: string }>;
  required?: string[];
  type?: string;
};

const PLAIN_TYPES: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
};

/** What is optional may be undefined too: JSON leaves it out, and so does the client. */
function objectType({ properties = {}, required = [] }: Keywords, depth: number): string {
  const indent = '  '.repeat(depth + 1);
  const members = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description === undefined ? '' : `${indent}/** ${schema.description} */\n`;
    const type = typeOf(schema, depth + 1);
    const [mark, orNothing] = required.includes(name) ? ['', ''] : ['?', type === 'unknown' ? '' : ' | undefined'];
    return `${comment}${indent}${nameOf(name)}${mark}: ${type}${orNothing};\n`;
  });
  return `{\n${members.join('')}${'  '.repeat(depth)}}`;
}

function unionOf(options: string[], depth: number): string {
  const line = options.join(' | ');
  return line.length < 100 || line.includes('\n') ? line : options.join(`\n${'  '.repeat(depth + 1)}| `);
}

function nameOf(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
