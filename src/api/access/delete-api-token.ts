import type { App } from '../../app.ts';
import { endApiToken } from '../../auth/tokens/end-api-token.ts';
import { findApiTokenOwner } from '../../auth/tokens/list-api-tokens.ts';
import { userActor } from '../../auth/user-actor.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { actorOf } from '../../http/require-user.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { API_TOKEN_ERRORS, noSuchUser, refuseMore, requireManaged } from './api-token-reply.ts';

const data = Type.Object({ id: Type.String(), ended: Type.Boolean() });

/** Ends one API token. It asks for no second factor: a leaked token must end at once, and ending it grants nothing. */
export const deleteApiToken = operation({
  describe: {
    operationId: 'endApiToken',
    summary: 'End an API token',
    description:
      'Ends an API token. Access tokens made with it stop working within a second. You can end your own tokens, and tokens of users whose rights do not exceed yours. Ending a token again returns the same response.',
    tag: 'Access',
    parameters: [
      { name: 'id', in: 'path', required: true, description: '`id` in `GET /api-tokens`', schema: Type.String() },
    ],
    replies: {
      200: {
        description: 'The token has ended',
        schema: replyOf('EndedApiToken', data),
        example: { message: 'OK', errors: null, data: { id: 'tok_0123456789abcdefghjk', ended: true } },
      },
    },
    errors: API_TOKEN_ERRORS,
  },
  handle: async (app, request) => {
    const { id } = request.params as { id: string };
    const { manager, managed } = await requireManaged(app, request, () => ownerOf(app, id));
    if (managed.refusal !== 'self') refuseMore(managed);
    // The commit that ends the request's own token cannot check that it is open.
    const by = managed.refusal === 'self' ? userActor(manager, clientNetwork(request.ip)) : actorOf(request, manager);
    await endApiToken(app, id, by, manager.id);
    return { message: 'OK', errors: null, data: { id, ended: true } };
  },
});

async function ownerOf(app: App, id: string): Promise<string> {
  const owner = await findApiTokenOwner(app, id);
  if (owner !== null) return owner;
  throw noSuchUser();
}
