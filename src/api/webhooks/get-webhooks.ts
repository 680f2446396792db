import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { selectSubscriptions } from '../../outbox/webhooks/webhook-subscription-queries.ts';
import {
  describeWebhook,
  requireOneself,
  WEBHOOK_ERRORS,
  WEBHOOK_EXAMPLE,
  WEBHOOK_PATH,
  WebhookSchema,
} from './webhook-reply.ts';

/** Lists the user's webhooks with their addresses. */
export const getWebhooks = operation({
  describe: {
    operationId: 'listWebhooks',
    summary: 'List your webhooks',
    description:
      'Returns the webhooks of your user that are in use, each with its address. You can list only your own; `idUser` is the `id` of `GET /users`.',
    tag: 'Webhooks',
    parameters: [WEBHOOK_PATH.idUser],
    replies: {
      200: {
        description: 'Your webhooks',
        schema: replyOf('WebhookList', Type.Array(WebhookSchema)),
        example: { message: 'OK', errors: null, data: [WEBHOOK_EXAMPLE] },
      },
    },
    errors: WEBHOOK_ERRORS,
  },
  handle: async (app, request) => {
    const user = await requireOneself(app, request);
    const webhooks = await selectSubscriptions(app.db, user.id);
    return { message: 'OK', errors: null, data: webhooks.map(describeWebhook) };
  },
});
