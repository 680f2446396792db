import { findUserSince } from '../../auth/find-user.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { userNumber } from '../../outbox/webhooks/webhook-subscription.ts';

/** Returns the user of the access token in the shape that published clients read. */
export const getUsers = operation({
  describe: {
    operationId: 'readUser',
    summary: 'Read your own user',
    description:
      'Returns the user of the access token. `id` is the number that the paths of `/webhooks` take as `idUser`.',
    tag: 'Access',
    replies: {
      200: {
        description: 'The user of the access token',
        schema: Type.Object(
          {
            id: Type.Integer({ description: 'Number of the user, for the paths of `/webhooks`' }),
            idAuth0: Type.String({ description: 'Id of the user in this service' }),
            username: Type.String(),
            email: Type.String(),
            status: Type.Integer({ description: 'Always 1 (enabled): a disabled user has no access token' }),
            bloqueo: Type.Boolean({ description: 'Always false (not blocked): a disabled user has no access token' }),
            createdAt: Type.String(),
          },
          { $id: 'OwnUser' },
        ),
        example: {
          id: 1_234_567,
          idAuth0: 'usr_0123456789abcdefghjk',
          username: 'shop@example.cl',
          email: 'shop@example.cl',
          status: 1,
          bloqueo: false,
          createdAt: '2026-01-15T12:00:00.000Z',
        },
      },
    },
    errors: ['PERMISSION_MISSING'],
  },
  handle: async (app, request) => {
    const { id, email } = await requireUser(app, request);
    const since = await findUserSince(app, id);
    return {
      id: userNumber(id),
      idAuth0: id,
      username: email,
      email,
      status: 1,
      bloqueo: false,
      createdAt: new Date(since).toISOString(),
    };
  },
});
