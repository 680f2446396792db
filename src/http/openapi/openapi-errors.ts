import { CATALOGUE, type ErrorCode } from '../../error-catalogue.ts';
import { ProblemSchema } from '../schemas.ts';
import { nameSchemas, type Schemas } from './openapi-schemas.ts';
import type { Reply } from './openapi-shape.ts';

/** One reply for each status among the codes, with an example for each code. */
export function errorReplies(codes: readonly string[], schemas: Schemas): Record<string, Reply> {
  const schema = nameSchemas(ProblemSchema, schemas);
  const statuses = Map.groupBy(known(codes), (code) => CATALOGUE[code].status);
  return Object.fromEntries(
    [...statuses].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${CATALOGUE[code].title}.`).join(' '),
        headers: {
          ...HEADERS[status],
          'Rubrica-Version': { $ref: '#/components/headers/Rubrica-Version' },
          'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
        },
        content: {
          'application/problem+json': {
            schema,
            examples: Object.fromEntries(ofStatus.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}

/** A whole answer for each code. */
export function errorExamples(codes: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    known(codes).map((code) => [code, { summary: CATALOGUE[code].title, value: problemExample(code) }]),
  );
}

const HEADERS: Record<number, Record<string, unknown>> = {
  429: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
  503: { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } },
};

/** Each once, in the order of their status. Throws for a code that is not in the catalogue. */
function known(codes: readonly string[]): ErrorCode[] {
  const stranger = codes.find((code) => !Object.hasOwn(CATALOGUE, code));
  if (stranger !== undefined) throw new Error(`${stranger} is not in the catalogue of errors`);
  return [...new Set(codes as readonly ErrorCode[])].sort((a, b) => CATALOGUE[a].status - CATALOGUE[b].status);
}

function problemExample(code: ErrorCode) {
  const { status, title, fix } = CATALOGUE[code];
  return {
    type: `/errors/${code}`,
    title,
    status,
    code,
    detail: fix,
    errors: [],
    request_id: 'q7Zk3xVb-1',
    message: title,
    data: null,
  };
}
