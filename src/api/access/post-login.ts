import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import {
  ACCESS_TOKEN_EXAMPLE,
  AccessTokenSchema,
  accessTokenReply,
  LOGIN_ERRORS,
  LOGIN_REQUEST_EXAMPLE,
  LoginRequestSchema,
  logInFromRequest,
} from './log-in-from-request.ts';

/**
 * Logs in clients of the first API version. They read the token at the root, and a failed login as 400 with `error`.
 */
export const postLogin = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'logInV1',
    summary: 'Log in, for clients of the first version',
    description: 'Returns an access token. A wrong password is refused with 400.',
    tag: 'Access',
    body: LoginRequestSchema,
    bodyExample: LOGIN_REQUEST_EXAMPLE,
    replies: {
      200: { description: 'An access token for 24 hours', schema: AccessTokenSchema, example: ACCESS_TOKEN_EXAMPLE },
    },
    errors: [...LOGIN_ERRORS.filter((code) => code !== 'LOGIN_FAILED'), { code: 'LOGIN_FAILED', status: 400 }],
  },
  handle: async (app, request) => accessTokenReply(await logInFromRequest(app, request).catch(rethrow)),
});

function rethrow(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'LOGIN_FAILED') throw error;
  throw new Problem('LOGIN_FAILED', { legacy: { status: 400, error: 'Wrong email or password.' } });
}
