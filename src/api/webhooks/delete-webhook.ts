import { notFound } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { actorOf } from '../../http/require-user.ts';
import { endWebhook } from '../../outbox/webhooks/set-webhook.ts';
import {
  describeWebhook,
  readWebhook,
  requireOneself,
  WEBHOOK_ERRORS,
  WEBHOOK_PATH,
  WEBHOOK_REPLY_EXAMPLE,
  WebhookReplySchema,
} from './webhook-reply.ts';

/** Ends a webhook. Some clients repeat it in the body: only the path counts. */
export const deleteWebhook = operation({
  describe: {
    operationId: 'endWebhook',
    summary: 'End a webhook',
    description:
      'Ends a webhook: nothing more is posted to it. Posts that wait, retries included, end unsent; `GET /events` has their events. `POST /webhooks` makes it again.',
    tag: 'Webhooks',
    parameters: [WEBHOOK_PATH.idUser, WEBHOOK_PATH.webhook],
    replies: { 200: { description: 'The ended webhook', schema: WebhookReplySchema, example: WEBHOOK_REPLY_EXAMPLE } },
    errors: ['NOT_FOUND', ...WEBHOOK_ERRORS],
  },
  handle: async (app, request) => {
    const user = await requireOneself(app, request);
    const wish = { userId: user.id, webhook: readWebhook(request) };
    const ended = await endWebhook(app, wish, actorOf(request, user));
    if (ended === null) throw notFound('You have no such webhook.', 'No tienes ese webhook.');
    return { message: 'OK', errors: null, data: describeWebhook(ended) };
  },
});
