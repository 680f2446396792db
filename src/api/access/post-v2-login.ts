import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { LOGIN_ERRORS, LOGIN_REQUEST_EXAMPLE, LoginRequestSchema, logInFromRequest } from './log-in-from-request.ts';

/** The same login with the names of the second API version. */
export const postV2Login = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'logInV2',
    summary: 'Log in, for clients of the second version',
    description: 'Does the same as `POST /users/login`, with other names in the response.',
    tag: 'Access',
    body: LoginRequestSchema,
    bodyExample: LOGIN_REQUEST_EXAMPLE,
    replies: {
      200: {
        description: 'An access token for 24 hours',
        schema: Type.Object(
          { accessToken: Type.String(), token_type: Type.Literal('Bearer'), expires_in: Type.Integer() },
          { $id: 'LoginReplyV2' },
        ),
        example: { accessToken: 'eyJhbGciOi…', token_type: 'Bearer', expires_in: 86_400 },
      },
    },
    errors: LOGIN_ERRORS,
  },
  handle: async (app, request) => {
    const { text, expiresIn } = await logInFromRequest(app, request);
    return { accessToken: text, token_type: 'Bearer' as const, expires_in: expiresIn };
  },
});
