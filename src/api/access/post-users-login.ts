import { operation } from '../../http/endpoint.ts';
import { replyOf } from '../../http/json-schema.ts';
import {
  ACCESS_TOKEN_EXAMPLE,
  AccessTokenSchema,
  accessTokenReply,
  LOGIN_ERRORS,
  LOGIN_REQUEST_EXAMPLE,
  LoginRequestSchema,
  logInFromRequest,
} from './log-in-from-request.ts';

const MESSAGE = 'Login exitoso';

/** Returns an access token for an e-mail address and a password. */
export const postUsersLogin = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'logIn',
    summary: 'Log in',
    description:
      'Returns an access token. After ten wrong passwords in a row, the account cannot log in from the same network for 30 minutes. Existing access tokens keep working.',
    tag: 'Access',
    body: LoginRequestSchema,
    bodyExample: LOGIN_REQUEST_EXAMPLE,
    replies: {
      200: {
        description: 'An access token for 24 hours',
        schema: replyOf('LoginReply', AccessTokenSchema),
        example: { message: MESSAGE, errors: null, data: ACCESS_TOKEN_EXAMPLE },
      },
    },
    errors: LOGIN_ERRORS,
  },
  handle: async (app, request) => ({
    message: MESSAGE,
    errors: null,
    data: accessTokenReply(await logInFromRequest(app, request)),
  }),
});
