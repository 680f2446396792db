import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/reference/openapi-document.ts';
import type { MediaContent, OpenApiDocument, Operation, Reply } from '../../src/reference/openapi-shape.ts';
import { ROUTES } from '../../src/server/routes.ts';

/** A request and its response. `path` is the requested one, with its query. */
export type Exchange = { method: string; path: string; status: number; contentType: string | null; text: string };

const document = openApiDocument(ROUTES);
// The schemas are not validated here: a test of openapi.json does it, and each file that starts a server would pay for
// it.
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false }).addSchema(document, 'api');
/** Validators by the text of their schema: nine in ten schemas are the same reference to a problem. */
const validators = new Map<string, ValidateFunction>();

/**
 * Checks a response of the API against its description: the operation declares the status, the body fits its schema,
 * and the operation declares the error code. Of a page only the media type is described.
 */
export function checkReply({ method, path, status, contentType, text }: Exchange): void {
  const operation = findOperation(method, path);
  if (operation === undefined || contentType === null || !/json|html/.test(contentType)) return;
  const about = `${method} ${path} answered ${status}`;
  const reply = resolve(operation.responses[status] ?? operation.responses['default']);
  const mediaType = contentType.split(';', 1)[0] as string;
  const content = reply.content?.[mediaType];
  assert.ok(content, `${about} with ${mediaType}, which the API description does not have`);
  if (mediaType === 'text/html') return;
  const body: unknown = JSON.parse(text);
  const validate = validatorOf(content);
  assert.ok(
    validate(body),
    `${about}, which is not what the API description says: ${ajv.errorsText(validate.errors)}\n${text}`,
  );
  if (mediaType === 'application/problem+json') checkCode(operation, status, (body as { code: string }).code, about);
}

function checkCode(operation: Operation, status: number, code: string, about: string): void {
  const declared = [operation.responses[status], operation.responses['default']].flatMap((reply) =>
    reply === undefined ? [] : Object.keys(resolve(reply).content?.['application/problem+json']?.examples ?? {}),
  );
  assert.ok(declared.includes(code), `${about} with ${code}, which the operation does not declare for this status`);
}

/** Literal paths come before paths with parameters, as in the router. */
const patterns = Object.entries(document.paths)
  .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
  .map(([pattern, item]) => ({ pattern: new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]*')}$`), item }));

function findOperation(method: string, path: string): Operation | undefined {
  const asked = path.split('?', 1)[0] as string;
  const match = patterns.find(({ pattern }) => pattern.test(asked))?.item;
  if (match === undefined) return undefined;
  const item = '$ref' in match ? (pointed(match.$ref) as OpenApiDocument['paths'][string]) : match;
  return (item as Record<string, Operation | undefined>)[method.toLowerCase()];
}

function resolve(reply: Reply | { $ref: string } | undefined): Reply {
  assert.ok(reply, 'An operation without a default reply');
  return '$ref' in reply ? (pointed(reply.$ref) as Reply) : reply;
}

function pointed(reference: string): unknown {
  const names = reference
    .slice('#/'.length)
    .split('/')
    .map((name) => name.replaceAll('~1', '/'));
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);
}

/** References in a schema point into the document, which ajv knows as `api`. */
function validatorOf({ schema }: MediaContent): ValidateFunction {
  const text = JSON.stringify(schema);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const validate = ajv.compile(JSON.parse(text.replaceAll('"$ref":"#/', '"$ref":"api#/')) as object);
  validators.set(text, validate);
  return validate;
}
