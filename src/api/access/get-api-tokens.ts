import { listApiTokens } from '../../auth/tokens/list-api-tokens.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import {
  API_TOKEN_ERRORS,
  describeApiToken,
  LISTED_API_TOKEN_EXAMPLE,
  ListedApiTokenSchema,
  requireManaged,
} from './api-token-reply.ts';

/** Lists the API tokens of one user, with the last use of each. */
export const getApiTokens = operation({
  describe: {
    operationId: 'listApiTokens',
    summary: 'List the API tokens of a user',
    description:
      'Returns the API tokens of a user, oldest first, including ended tokens. The text of a token is shown only when it is created.',
    tag: 'Access',
    parameters: [
      {
        name: 'user',
        in: 'query',
        description: 'Id or e-mail address of the user. Default: yourself',
        schema: Type.String(),
      },
    ],
    replies: {
      200: {
        description: 'API tokens of the user',
        schema: replyOf('ApiTokenList', Type.Array(ListedApiTokenSchema)),
        example: { message: 'OK', errors: null, data: [LISTED_API_TOKEN_EXAMPLE] },
      },
    },
    errors: ['INVALID_PARAMETER', ...API_TOKEN_ERRORS.filter((code) => code !== 'MORE_THAN_YOURS')],
  },
  handle: async (app, request, _reply, query) => {
    const { managed } = await requireManaged(app, request, (manager) => query().user ?? manager.id);
    const tokens = await listApiTokens(app, managed.id);
    if (tokens === null) throw new Problem('NOT_FOUND');
    return { message: 'OK', errors: null, data: tokens.map(describeApiToken) };
  },
});
