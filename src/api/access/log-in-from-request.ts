import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { logIn } from '../../auth/sign-in/log-in.ts';
import type { AccessToken } from '../../auth/tokens/access-token.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { MEMBER_ERRORS, readMembers } from '../../http/read-members.ts';

/** The request body of the three login endpoints. */
export const LoginRequestSchema = Type.Object(
  {
    username: Type.String({ description: 'E-mail address of the user', minLength: 1 }),
    password: Type.String({ minLength: 1 }),
  },
  { $id: 'LoginRequest', additionalProperties: false },
);

export const LOGIN_REQUEST_EXAMPLE = { username: 'shop@example.cl', password: '00000000000000000000000000000000' };

/** The reply of `/loginToken` and of two login endpoints: at the root of the body, or in `data`. */
export const AccessTokenSchema = Type.Object(
  {
    access_token_jwt: Type.String({ description: 'Access token, to send as `Authorization: Bearer`' }),
    expires_in: Type.Integer({ description: 'Lifetime in seconds' }),
    token_type: Type.Literal('Bearer'),
  },
  { $id: 'AccessToken' },
);

export const ACCESS_TOKEN_EXAMPLE = { access_token_jwt: 'eyJhbGciOi…', expires_in: 86_400, token_type: 'Bearer' };

/** The error codes of the three login endpoints. */
export const LOGIN_ERRORS = [
  'INVALID_JSON',
  ...MEMBER_ERRORS,
  'UNSUPPORTED_MEDIA_TYPE',
  'LOGIN_FAILED',
  'SECOND_FACTOR_NEEDED',
  'RATE_LIMITED',
] as const;

/** Logs in with the `username` and `password` of the body. Throws what `logIn` and `readMembers` throw. */
export function logInFromRequest(app: App, request: FastifyRequest): Promise<AccessToken> {
  const { username, password } = readMembers(request, LoginRequestSchema);
  return logIn(app, { email: username, password, address: request.ip });
}

/** Returns an access token in the shape that most clients read. `expires_in` is in seconds. */
export function accessTokenReply(token: AccessToken): Static<typeof AccessTokenSchema> {
  return { access_token_jwt: token.text, expires_in: token.expiresIn, token_type: 'Bearer' };
}
