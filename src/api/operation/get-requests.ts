import { operation } from '../../http/endpoint.ts';
import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter, readTime, textParameter } from '../../http/list-parameters.ts';
import { answerLanguage } from '../../http/problem-words.ts';
import { requireUser } from '../../http/require-user.ts';
import { listRefusedRequests, type ReadRefused, readRefused } from '../../refused-requests/list-refused-requests.ts';

const MOST = 200;
const USUAL = 50;

const ItemSchema = Type.Object({
  pointer: Type.String(),
  code: Type.String(),
  message: Type.String(),
  fix: Type.String(),
});

const RefusedRequestSchema = Type.Object(
  {
    request_id: Type.String({ description: '`request_id` and `X-Request-Id` of the response' }),
    at: Type.String(),
    payment_service: Type.Nullable(Type.String()),
    payment_service_name: Type.Nullable(Type.String()),
    environment: Type.Nullable(Type.String()),
    method: Type.String(),
    path: Type.String({ description: 'Path of the endpoint, with its parameters as names' }),
    status: Type.Integer(),
    code: Type.String(),
    title: Type.String(),
    detail: Type.String(),
    errors: Type.Array(ItemSchema),
    fields: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: 'Fields that the shop sent, without signatures, secrets and data of the payer',
    }),
    repeated: Type.Integer({ description: 'Number of similar requests in the same hour that were not stored' }),
  },
  { $id: 'RefusedRequest' },
);

const EXAMPLE = {
  request_id: '664df2f5a435e1f3b0',
  at: '2026-01-15T12:00:00.000Z',
  payment_service: 'ps_0123456789abcdefghjk',
  payment_service_name: 'Mi tienda',
  environment: 'development',
  method: 'POST',
  path: '/trxs',
  status: 400,
  code: 'INVALID_AMOUNT',
  title: 'The amount cannot be used',
  detail: 'x_amount is below what payment methods collect. Send at least 500 CLP.',
  errors: [
    {
      pointer: '/x_amount',
      code: 'INVALID_AMOUNT',
      message: 'x_amount is below what payment methods collect.',
      fix: 'Send at least 500 CLP.',
    },
  ],
  fields: [{ name: 'x_amount', value: '100' }],
  repeated: 0,
};

/** Lists the refused requests of the last days, with their errors. */
export const getRequests = operation({
  describe: {
    operationId: 'listRefusedRequests',
    summary: 'List refused requests',
    description:
      'Returns the requests that were refused in the last 7 days, newest first. A request is yours if it names your Service Token or its path names your transaction. Requests with production tokens are stored only if `REFUSED_REQUESTS` says so. For each code, the first 50 requests of an hour are stored. The errors are in the language of `Accept-Language`. `data.next` is the cursor of the next page.',
    tag: 'Transactions',
    parameters: [
      textParameter('request_id', '`request_id` of one response'),
      textParameter('code', 'Error code, such as `SIGNATURE_INVALID`'),
      textParameter('payment_service', 'Id of the payment service'),
      {
        name: 'environment',
        in: 'query',
        description: 'Environment of the tokens',
        schema: Type.String({ enum: ['development', 'production'] }),
      },
      {
        name: 'since',
        in: 'query',
        description: 'Refused at or after this time: ISO 8601, with an offset or `Z`',
        schema: Type.String(),
      },
      CURSOR_PARAMETER,
      limitParameter(MOST, USUAL),
    ],
    replies: {
      200: {
        description: 'A page of refused requests',
        schema: replyOf(
          'RefusedRequestPage',
          Type.Object({ requests: Type.Array(RefusedRequestSchema), next: Type.Nullable(Type.String()) }),
        ),
        example: { message: 'OK', errors: null, data: { requests: [EXAMPLE], next: null } },
      },
    },
    errors: ['INVALID_PARAMETER'],
  },
  handle: async (app, request, reply, query) => {
    const { environmentIds } = await requireUser(app, request);
    const { request_id, code, payment_service, environment, since, after, limit = USUAL } = query();
    const asked = {
      environmentIds,
      requestId: request_id ?? null,
      code: code ?? null,
      paymentServiceId: payment_service ?? null,
      environment: environment ?? null,
      since: readTime('since', since ?? null),
      after: after ?? null,
    };
    const { requests, next } = await listRefusedRequests(app, asked, limit);
    const language = answerLanguage(request.headers['accept-language']);
    reply.headers({ 'content-language': language, vary: 'accept-language' });
    return {
      message: 'OK',
      errors: null,
      data: { requests: requests.map((row) => described(readRefused(row, language))), next },
    };
  },
});

function described(row: ReadRefused): Static<typeof RefusedRequestSchema> {
  const { request_id, at, method, route, status, code, title, detail, errors, fields, repeated } = row;
  return {
    request_id,
    at: new Date(at).toISOString(),
    payment_service: row.payment_service_id,
    payment_service_name: row.name,
    environment: row.environment,
    method,
    path: route,
    status,
    code,
    title,
    detail,
    errors,
    fields,
    repeated,
  };
}
