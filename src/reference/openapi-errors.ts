import { ProblemSchema } from '../api/transactions/transaction-schemas.ts';
import { missingCode } from '../auth/permission.ts';
import { TOKEN_CODES } from '../auth/tokens/authenticate-bearer.ts';
import { CATALOGUE, type ErrorCode } from '../error-catalogue.ts';
import type { DescribedError, Endpoint } from '../http/endpoint.ts';
import { nameSchemas, type Schemas } from './openapi-schemas.ts';
import type { Reply } from './openapi-shape.ts';

/** The errors that any request can return. */
export const COMMON_ERRORS: readonly ErrorCode[] = [
  'HTTP_MALFORMED',
  'DUPLICATE_HEADER',
  'INVALID_HEADER',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'EXPECTATION_FAILED',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'OVERLOADED',
  'STOPPING',
  'STORAGE_UNAVAILABLE',
  'STORAGE_FULL',
  'OUTCOME_UNKNOWN',
];

/**
 * Lists the errors that an endpoint can return before its handler runs: an unreadable body, a missing token or
 * permission.
 */
export function refusalsOf(endpoint: Endpoint): ErrorCode[] {
  const { needed, access } = endpoint;
  return [
    ...readingErrors(endpoint),
    ...(access === 'bearer' ? TOKEN_CODES : []),
    ...(needed === undefined ? [] : [missingCode(needed[0])]),
  ];
}

function readingErrors({ consumes = [], method }: Endpoint): ErrorCode[] {
  // An unexpected body is read and ignored, up to the common limit.
  if (consumes.length === 0) return method === 'GET' ? [] : ['PAYLOAD_TOO_LARGE'];
  return [
    'UNEXPECTED_QUERY',
    'UNSUPPORTED_MEDIA_TYPE',
    'PAYLOAD_TOO_LARGE',
    'INVALID_ENCODING',
    'TOO_MANY_FIELDS',
    'DUPLICATE_KEY',
    ...(consumes.includes('application/json') ? JSON_ERRORS : []),
  ];
}

const JSON_ERRORS: readonly ErrorCode[] = ['INVALID_JSON', 'NOT_AN_OBJECT', 'FORBIDDEN_KEY', 'JSON_TOO_DEEP'];

/** Returns one response per status, with an example for each code. `isPage`: browsers get a page instead. */
export function errorReplies(
  errors: readonly DescribedError[],
  schemas: Schemas,
  isPage: boolean,
): Record<string, Reply> {
  const statuses = Map.groupBy(sorted(errors.map(toError)), ({ status }) => status);
  return Object.fromEntries(
    [...statuses].map(([status, ofStatus]) => {
      const codes = [...new Set(ofStatus.map(({ code }) => code))];
      const { content, ...reply } = errorReply(codes, HEADERS[status], schemas);
      return [status, { ...reply, content: { ...content, ...(isPage && { 'text/html': PAGE }) } }];
    }),
  );
}

const PAGE = { schema: { type: 'string' }, example: '<!doctype html>…' };

type DeclaredError = { code: ErrorCode; status: number };

function toError(error: DescribedError): DeclaredError {
  return typeof error === 'string' ? { code: error, status: CATALOGUE[error].status } : error;
}

function sorted<E extends { status: number }>(errors: readonly E[]): E[] {
  return errors.toSorted((a, b) => a.status - b.status);
}

/** Returns the default response, which stands for `COMMON_ERRORS`. */
export function commonErrorReply(schemas: Schemas): Reply {
  return { ...errorReply(COMMON_ERRORS, {}, schemas), description: 'Errors that any request can return' };
}

function errorReply(
  codes: readonly ErrorCode[],
  headers: Record<string, unknown> | undefined,
  schemas: Schemas,
): Reply {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: {
      ...headers,
      'Rubrica-Version': { $ref: '#/components/headers/Rubrica-Version' },
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    },
    content: {
      'application/problem+json': {
        schema: nameSchemas(ProblemSchema, schemas),
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

/** Returns a complete response body for each code. */
export function errorExamples(errors: readonly DescribedError[]): Record<string, unknown> {
  const own = errors.map((error) => toError(error).code).map((code) => ({ code, status: CATALOGUE[code].status }));
  return Object.fromEntries(
    sorted(own).map(({ code }) => [code, { summary: CATALOGUE[code].title, value: problemExample(code) }]),
  );
}

const RETRY_AFTER = { description: 'Seconds to wait', schema: { type: 'integer' } };

const HEADERS: Record<number, Record<string, unknown>> = {
  429: {
    'Retry-After': RETRY_AFTER,
    'RateLimit-Policy': {
      description: 'Limit that was reached: q requests in w seconds',
      schema: { type: 'string', examples: ['"payment-service";q=6000;w=60'] },
    },
    RateLimit: {
      description: 'r requests are left; the count starts again in t seconds',
      schema: { type: 'string', examples: ['"payment-service";r=0;t=42'] },
    },
  },
  503: { 'Retry-After': RETRY_AFTER },
};

function problemExample(code: ErrorCode) {
  const { status, title, fix } = CATALOGUE[code];
  return {
    type: `/errors/${code}`,
    title,
    status,
    code,
    detail: fix,
    errors: [],
    request_id: 'abbb19dcc55b4f49d6',
    message: title,
    data: null,
  };
}
