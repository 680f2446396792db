import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { AccessToken } from '../../auth/tokens/access-token.ts';
import { logInWithApiToken } from '../../auth/tokens/log-in-with-api-token.ts';
import { Problem } from '../../error-catalogue.ts';
import { errorItem } from '../../error-item.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody, MEMBER_ERRORS, type Members, readMembers } from '../../http/read-members.ts';
import { ACCESS_TOKEN_EXAMPLE, AccessTokenSchema, accessTokenReply } from './log-in-from-request.ts';

const ApiTokenLoginSchema = Type.Object(
  {
    email: Type.Optional(Type.String()),
    apiToken: Type.Optional(Type.String()),
    expDate: Type.Optional(Type.Integer({ description: 'End of the access token, in Unix seconds; within a year' })),
  },
  { $id: 'ApiTokenLogin', additionalProperties: false },
);

/**
 * Exchanges an API token for an access token. The API token comes in the header, or in the body with the e-mail
 * address.
 */
export const postLoginToken = operation({
  consumes: ['application/json'],
  bodyOptional: true,
  describe: {
    operationId: 'logInWithApiToken',
    summary: 'Exchange an API token for an access token',
    description:
      'Returns an access token. Send the API token as `Authorization: Bearer`, or `email` and `apiToken` in the body. An invalid token is refused with 403 if it was in the header, with 401 if it was in the body.',
    tag: 'Access',
    parameters: [
      { name: 'Authorization', in: 'header', description: 'Bearer and the API token', schema: Type.String() },
    ],
    body: ApiTokenLoginSchema,
    bodyExample: { email: 'shop@example.cl', apiToken: 'api_…' },
    replies: {
      200: {
        description: 'An access token for one year, or until `expDate`. Requests within a day return the same token',
        schema: AccessTokenSchema,
        example: { ...ACCESS_TOKEN_EXAMPLE, expires_in: 31_536_000 },
      },
    },
    errors: [
      'INVALID_JSON',
      ...MEMBER_ERRORS,
      'INVALID_HEADER',
      'UNSUPPORTED_MEDIA_TYPE',
      'API_TOKEN_INVALID',
      { code: 'API_TOKEN_INVALID', status: 403 },
    ],
  },
  handle: async (app, request) => accessTokenReply(await logInWith(app, request)),
});

async function logInWith(app: App, request: FastifyRequest): Promise<AccessToken> {
  const empty = ((request.body as Buffer | undefined)?.length ?? 0) === 0;
  const members = empty ? { email: null, apiToken: null, expDate: null } : readMembers(request, ApiTokenLoginSchema);
  const expiresAt = readExpiry(app, members);
  const address = request.ip;
  const { email, apiToken } = members;
  if (email !== null && apiToken !== null) return logInWithApiToken(app, { email, apiToken, expiresAt, address });
  if (email !== null || apiToken !== null) throw incomplete(email === null ? 'email' : 'apiToken');
  const login = { email: null, apiToken: tokenInHeader(request), expiresAt, address };
  return logInWithApiToken(app, login).catch(rethrow);
}

function readExpiry(app: App, { expDate }: Members<typeof ApiTokenLoginSchema>): number | null {
  if (expDate === null) return null;
  if (/^\d{1,12}$/.test(expDate) && Number(expDate) * 1000 > app.now()) return Number(expDate);
  const words = [
    'expDate cannot be used.',
    'Send a time to come, in Unix seconds.',
    'expDate no sirve.',
    'Envía una hora futura, en segundos Unix.',
  ] as const;
  throw invalidBody([errorItem('/expDate', 'INVALID_PARAMETER', words)]);
}

function incomplete(name: string): Problem {
  const words = [
    `${name} is missing.`,
    'Send email and apiToken together, or the API token in the Authorization header.',
    `${name} falta.`,
    'Envía email y apiToken juntos, o el token de API en el encabezado Authorization.',
  ] as const;
  return invalidBody([errorItem(`/${name}`, 'MISSING_FIELD', words)]);
}

function tokenInHeader(request: FastifyRequest): string {
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined) return token;
  throw new Problem('INVALID_HEADER', {
    detail: {
      en: 'Send Authorization: Bearer and the API token.',
      es: 'Envía Authorization: Bearer y el token de API.',
    },
    legacy: { status: 400, error: 'Invalid Authorization Header' },
  });
}

function rethrow(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'API_TOKEN_INVALID') throw error;
  throw new Problem('API_TOKEN_INVALID', { legacy: { status: 403, error: 'Not a valid or expired token' } });
}
