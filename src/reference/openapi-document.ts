import type { Access, Description, Endpoint } from '../http/endpoint.ts';
import { API_VERSION } from '../http/fixed-headers.ts';
import { COMMON_ERRORS, commonErrorReply, errorExamples, errorReplies, refusalsOf } from './openapi-errors.ts';
import { nameSchemas, type Schemas } from './openapi-schemas.ts';
import type { OpenApiDocument, Operation, Parameter, PathItem, Reply, RequestBody } from './openapi-shape.ts';
import { INFO, TAGS } from './openapi-texts.ts';

/**
 * Builds the API description from a table of endpoints: every endpoint with `describe`, a response for every error code
 * that it names, and every schema with a `$id` as a component. The same table always gives the same document.
 */
export function openApiDocument(endpoints: readonly Endpoint[]): OpenApiDocument {
  const schemas: Schemas = {};
  const paths: Record<string, PathItem> = {};
  const described = endpoints.filter((endpoint) => endpoint.describe !== undefined);
  for (const endpoint of described) {
    const [path, ...aliases] = endpoint.paths.map((one) => one.replace(/:(\w+)/g, '{$1}')) as [string, ...string[]];
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) };
    for (const alias of aliases) paths[alias] = { $ref: `#/paths/${path.replaceAll('/', '~1')}` };
  }
  const responses = { CommonError: commonErrorReply(schemas) };
  const errors = described.flatMap((endpoint) => [...refusalsOf(endpoint), ...(endpoint.describe?.errors ?? [])]);
  return {
    openapi: '3.1.0',
    info: { ...INFO, version: API_VERSION },
    servers: [{ url: 'http://127.0.0.1:8080', description: 'The service on your own machine' }],
    tags: TAGS,
    paths,
    components: {
      schemas,
      responses,
      examples: errorExamples([...COMMON_ERRORS, ...errors]),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operationOf(endpoint: Endpoint, schemas: Schemas): Operation {
  const { operationId, tag, summary, description, parameters = [], errors } = endpoint.describe as Description;
  const shown = parameters.filter((parameter) => !isCredential(endpoint.access, parameter));
  const body = bodyOf(endpoint, schemas);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(endpoint),
    ...(shown.length > 0 && { parameters: shown.map((parameter) => parameterOf(parameter, schemas)) }),
    ...(body !== null && { requestBody: body }),
    responses: {
      ...repliesOf(endpoint, schemas),
      ...errorReplies(
        [...refusalsOf(endpoint), ...errors, 'HTTP_MALFORMED', 'RATE_LIMITED', 'INTERNAL'],
        schemas,
        endpoint.refuse !== undefined,
      ),
      default: { $ref: '#/components/responses/CommonError' },
    },
  };
}

type DescribedParameter = NonNullable<Description['parameters']>[number];

function parameterOf(
  { name, in: place, required, description, schema, allowEmptyValue }: DescribedParameter,
  schemas: Schemas,
): Parameter {
  return {
    name,
    in: place,
    required: required ?? false,
    ...(allowEmptyValue === true && { allowEmptyValue }),
    description,
    schema: nameSchemas(schema, schemas),
  };
}

function bodyOf({ consumes = [], bodyOptional, describe }: Endpoint, schemas: Schemas): RequestBody | null {
  const { body, bodyExample } = describe as Description;
  if (body === undefined) return null;
  const schema = nameSchemas(body, schemas);
  const content = { schema, ...(bodyExample !== undefined && { example: bodyExample }) };
  return {
    required: bodyOptional === undefined,
    content: Object.fromEntries(consumes.map((mediaType) => [mediaType, content])),
  };
}

function repliesOf({ describe }: Endpoint, schemas: Schemas): Record<string, Reply> {
  const { replies } = describe as Description;
  return Object.fromEntries(
    Object.entries(replies).map(([status, { description, schema, example, headers = {} }]) => {
      const own = Object.entries(headers).map(([name, text]) => [
        name,
        { description: text, schema: { type: 'string' } },
      ]);
      const json = schema === undefined ? { type: 'object' } : nameSchemas(schema, schemas);
      const hasContent = schema !== undefined || example !== undefined;
      return [
        status,
        {
          description,
          headers: { ...Object.fromEntries(own), ...HEADER_REFERENCES },
          ...(hasContent && {
            content: { 'application/json': { schema: json, ...(example !== undefined && { example }) } },
          }),
        },
      ];
    }),
  );
}

const HEADERS = {
  'Rubrica-Version': {
    description: 'API version. It changes when a response changes in a way that clients can notice',
    schema: { type: 'string', examples: [API_VERSION] },
  },
  'X-Request-Id': { description: 'Id of this request in the log of the service', schema: { type: 'string' } },
};

const HEADER_REFERENCES = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

const SECURITY_SCHEMES = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token from `POST /users/login` or `POST /loginToken`. The role is the permission that its user needs; one of several is enough.',
  },
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API token of a user, as `bin/rubrica user create` prints it.',
  },
  serviceToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The Service Token of a payment service.',
  },
  serviceTokenInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'x_account_id',
    description: 'The Service Token of a payment service.',
  },
};

/** Returns whether OpenAPI lists this parameter as a security scheme. */
function isCredential(access: Access, { name, in: place }: DescribedParameter): boolean {
  return (place === 'header' && name === 'Authorization') || (access === 'service-token' && name === 'x_account_id');
}

/**
 * Returns the security of an endpoint. `signature` has no scheme: the signature is a member of the body, which OpenAPI
 * cannot describe.
 */
function securityOf({ access, needed, describe }: Endpoint): Operation['security'] {
  const credential = describe?.parameters?.find((parameter) => isCredential(access, parameter));
  if (access === 'bearer') return needed.map((permission) => ({ accessToken: [permission] }));
  if (access === 'service-token')
    return [credential?.in === 'query' ? { serviceTokenInQuery: [] } : { serviceToken: [] }];
  return credential === undefined ? [] : [{ apiToken: [] }, {}];
}
