import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Schema, Schemas } from '../src/reference/openapi-schemas.ts';
import type { OpenApiDocument, Operation } from '../src/reference/openapi-shape.ts';

/** The file for the body and response types of a tag. */
const FILES: Record<string, string> = {
  Transactions: 'api-payments.ts',
  'Payment methods': 'api-payments.ts',
  'Payment links': 'api-payments.ts',
  Events: 'api-payments.ts',
  Refunds: 'api-payments.ts',
  Reconciliation: 'api-reconciliation.ts',
  Webhooks: 'api-reconciliation.ts',
  'Bank account validation': 'api-bank-accounts.ts',
  Recipients: 'api-recipients.ts',
  Payouts: 'api-payouts.ts',
  'Bank files': 'api-bank-files.ts',
  Access: 'api-access.ts',
};

/**
 * Writes the API description as TypeScript for the client: the generated files of `sdk/src/`, by name. They contain a
 * type for every named schema, one for all error codes, and `Operations`, with the request and response types of every
 * method and path; `api-types.ts` exports them all. The same document always gives the same texts.
 */
export function clientTypes(document: OpenApiDocument): Record<string, string> {
  const declarations = declarationsOf(document);
  const files = Map.groupBy(declarations, ({ file }) => file);
  const texts = [...files].map(([file, own]): [string, string] => {
    const imports = importsOf(own, declarations).join('\n');
    return [file, layOut(file, [imports, ...own.map(({ text }) => text)])];
  });
  const all = [...files.keys()].map((file) => `export type * from './${file}';`).join('\n');
  return { ...Object.fromEntries(texts), 'api-types.ts': layOut('api-types.ts', [API_COMMENT, all]) };
}

const API_COMMENT = '// Users of the package import all of it as one namespace, `Api`.';

/** `uses`: the names of other declarations in it. */
type Declaration = { file: string; name: string; text: string; uses: string[] };

function declarationsOf(document: OpenApiDocument): Declaration[] {
  const { schemas, examples = {} } = document.components;
  const operations = operationsOf(document);
  const files = filesOf(operations, schemas);
  const types = Object.entries(schemas).map(([name, schema]) => ({
    // A schema that no endpoint takes or returns belongs to its errors.
    file: files.get(name) ?? 'api-errors.ts',
    name,
    text: `export type ${name} = ${typeOf(schema)};`,
    uses: namesIn(schema),
  }));
  const codes = {
    file: 'api-errors.ts',
    name: 'ErrorCode',
    text: `/** The \`code\` of an error. */\nexport type ErrorCode = ${Object.keys(examples).map(literal).join(' | ')};`,
    uses: [],
  };
  const isOfPayouts = ([, { tags }]: [string, Operation]) =>
    tags.some((tag) => ['Payouts', 'Bank files', 'Recipients'].includes(tag));
  const payouts = {
    file: 'api-payout-operations.ts',
    name: 'PayoutOperations',
    text: `/** The requests and answers about payouts, by method and path. */\nexport type PayoutOperations = ${tableOf(operations.filter(isOfPayouts))};`,
    uses: usesOf(operations.filter(isOfPayouts)),
  };
  const others = operations.filter((one) => !isOfPayouts(one));
  const table = {
    file: 'api-operations.ts',
    name: 'Operations',
    text: `/** The requests and answers, by method and path. */\nexport type Operations = PayoutOperations & ${tableOf(others)};`,
    uses: ['PayoutOperations', ...usesOf(others)],
  };
  return [...types, codes, payouts, table];
}

function tableOf(operations: readonly [string, Operation][]): string {
  const members = operations.map(([name, operation]) => `\n'${name}': ${operationType(operation)};`);
  return `{${members.join('')}}`;
}

function usesOf(operations: readonly [string, Operation][]): string[] {
  return operations.flatMap(([, operation]) => namesIn(partsOf(operation)));
}

/** Lists the operations with a JSON response: files, metrics and redirects are not for a client. */
function operationsOf({ paths }: OpenApiDocument): [string, Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries('$ref' in item ? {} : item)
      .filter(([, operation]) => replySchema(operation) !== undefined)
      .map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
  );
}

/** Returns the file of every schema that an endpoint takes or returns, directly or nested. */
function filesOf(operations: [string, Operation][], schemas: Schemas): Map<string, string> {
  const namesWithin = (value: unknown): string[] =>
    namesIn(value).flatMap((name) => [name, ...namesWithin(schemas[name])]);
  return new Map(
    operations.flatMap(([, operation]) =>
      namesWithin(partsOf(operation)).map((name): [string, string] => [name, fileOf(operation)]),
    ),
  );
}

function fileOf({ tags: [tag] }: Operation): string {
  const file = FILES[tag];
  if (file === undefined) throw new Error(`No file of the client is for what is tagged ${tag}`);
  return file;
}

function partsOf({ parameters, requestBody, responses }: Operation): unknown[] {
  return [parameters, requestBody, responses['200'] ?? responses['201']];
}

function namesIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
}

function operationType(operation: Operation): string {
  const body = operation.requestBody?.content['application/json']?.schema;
  const optional = operation.requestBody?.required === true ? '' : '?';
  const members = [
    ...['path', 'query', 'header'].flatMap((place) => parametersType(operation, place)),
    ...(body === undefined ? [] : [`body${optional}: ${typeOf(body)}`]),
    `reply: ${typeOf(replySchema(operation) ?? {})}`,
  ];
  return `{ ${members.join('; ')} }`;
}

function parametersType({ parameters = [] }: Operation, place: string): string[] {
  const ofPlace = parameters.filter((parameter) => parameter.in === place);
  const properties = Object.fromEntries(
    ofPlace.map(({ name, description, schema }) => [name, { ...schema, description }]),
  );
  const required = ofPlace.filter((parameter) => parameter.required).map(({ name }) => name);
  return ofPlace.length === 0 ? [] : [`${place}: ${objectType({ properties, required })}`];
}

function replySchema({ responses }: Operation): Schema | undefined {
  const reply = responses['200'] ?? responses['201'];
  return reply === undefined || '$ref' in reply ? undefined : reply.content?.['application/json']?.schema;
}

function typeOf(schema: Schema): string {
  const { $ref, const: only, enum: values, anyOf, allOf, items, properties, type } = schema as Keywords;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return literal(only);
  if (values !== undefined) return values.map(literal).join(' | ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (allOf !== undefined) return `(${allOf.map(typeOf).join(' & ')})`;
  if (properties !== undefined) return objectType(schema);
  if (items !== undefined) return `(${typeOf(items)})[]`;
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

/** An optional member may also be undefined: JSON and the client leave it out. */
function objectType({ properties = {}, required = [] }: Keywords): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description === undefined ? '' : `\n/** ${schema.description} */\n`;
    const type = typeOf(schema);
    const [mark, orNothing] = required.includes(name) ? ['', ''] : ['?', type === 'unknown' ? '' : ' | undefined'];
    return `${comment}${nameOf(name)}${mark}: ${type}${orNothing};`;
  });
  // The formatter keeps an object on several lines if a line break precedes its first member.
  const lineBreak = members.some((member) => member.startsWith('\n')) ? '\n' : '';
  return `{${lineBreak}${members.join(' ')}}`;
}

function nameOf(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function importsOf(own: Declaration[], declarations: Declaration[]): string[] {
  const used = new Set(own.flatMap(({ uses }) => uses));
  const others = declarations.filter((one) => used.has(one.name) && !own.includes(one));
  return others.map(({ name, file }) => `import type { ${name} } from './${file}';`);
}

/** Formats a file as the formatter does, with sorted imports. */
function layOut(file: string, parts: string[]): string {
  const text = ['// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.', ...parts];
  const root = join(import.meta.dirname, '..');
  const args = ['check', '--write', `--stdin-file-path=sdk/src/${file}`];
  return execFileSync('node_modules/.bin/biome', args, { cwd: root, input: text.join('\n\n'), encoding: 'utf8' });
}
