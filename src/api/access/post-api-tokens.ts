import type { App } from '../../app.ts';
import { proveWhereEnrolled } from '../../auth/factors/prove-factor.ts';
import { makeApiToken } from '../../auth/tokens/make-api-token.ts';
import { Problem } from '../../error-catalogue.ts';
import { errorItem } from '../../error-item.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { MEMBER_ERRORS, readMembers } from '../../http/read-members.ts';
import { actorOf } from '../../http/require-user.ts';
import { isoTime, readIsoTime } from '../../lib/iso-time.ts';
import { API_TOKEN_ERRORS, refuseMore, requireManaged } from './api-token-reply.ts';

const RequestSchema = Type.Object(
  {
    user: Type.String({ description: 'Id or e-mail address of the user of the token' }),
    name: Type.String({
      description: 'Program or purpose: 1 to 60 letters, digits, spaces, points, dashes, underscores',
    }),
    expires_at: Type.Optional(
      Type.String({ description: 'End of validity, ISO 8601. Default: valid until a user ends it' }),
    ),
    code: Type.Optional(
      Type.String({ description: 'Code of your app, or a recovery code; required if you have a second factor' }),
    ),
  },
  { $id: 'ApiTokenRequest', additionalProperties: false },
);

const REQUEST_EXAMPLE = { user: 'shop@example.cl', name: 'till 4', expires_at: '2026-04-15T12:00:00Z' };

const data = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  api_token: Type.String({ description: 'Text of the API token, for `POST /loginToken`; shown only here' }),
  expires_at: Type.Nullable(Type.String()),
});

const EXAMPLE = {
  id: 'tok_0123456789abcdefghjk',
  email: 'shop@example.cl',
  name: 'till 4',
  api_token: 'api_…',
  expires_at: '2026-04-15T12:00:00.000Z',
};

/** Creates an API token for a user whom the caller may manage. */
export const postApiTokens = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'createApiToken',
    summary: 'Create an API token',
    description:
      'Creates one more API token, with its own name, for a program. You can create tokens for users whose permissions, payment services and daily refund limit do not exceed yours, but not for yourself. If you have a second factor, send its `code`; a code works once.',
    tag: 'Access',
    body: RequestSchema,
    bodyExample: REQUEST_EXAMPLE,
    replies: {
      201: {
        description: 'The token; its text is shown only here',
        schema: replyOf('NewApiToken', data),
        example: { message: 'OK', errors: null, data: EXAMPLE },
      },
    },
    errors: [
      'INVALID_JSON',
      ...MEMBER_ERRORS,
      'INVALID_PARAMETER',
      'UNSUPPORTED_MEDIA_TYPE',
      'SECOND_FACTOR_NEEDED',
      'FACTOR_REFUSED',
      'RATE_LIMITED',
      ...API_TOKEN_ERRORS,
    ],
  },
  handle: async (app, request, reply) => {
    const { manager, managed } = await requireManaged(app, request, () => readMembers(request, RequestSchema).user);
    const { name, expires_at, code } = readMembers(request, RequestSchema);
    refuseMore(managed);
    const expiresAt = readEnd(app, expires_at);
    await proveWhereEnrolled(app, { user: manager, address: request.ip }, code);
    const by = actorOf(request, manager);
    const made = await makeApiToken(app, managed.id, { name, expiresAt }, by, manager.id);
    if (made === null) throw new Problem('NOT_FOUND');
    reply.code(201);
    const end = isoTime(made.expires_at);
    return { message: 'OK', errors: null, data: { ...made, expires_at: end } };
  },
});

function readEnd(app: App, text: string | null): number | null {
  if (text === null) return null;
  const time = readIsoTime(text);
  if (time !== null && time > app.now()) return time;
  throw new Problem('INVALID_PARAMETER', { errors: [WRONG_END] });
}

const WRONG_END = errorItem('/expires_at', 'INVALID_PARAMETER', [
  'expires_at is not a time at which a token can end.',
  'Send a time to come, such as 2026-12-31T23:59:59Z.',
  'expires_at no es una hora en que un token pueda vencer.',
  'Envía una hora futura, como 2026-12-31T23:59:59Z.',
]);
