import { notFound, Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { MEMBER_ERRORS } from '../../http/read-members.ts';
import { actorOf } from '../../http/require-user.ts';
import { setWebhook } from '../../outbox/webhooks/set-webhook.ts';
import { selectSubscriptions } from '../../outbox/webhooks/webhook-subscription-queries.ts';
import {
  describeWebhook,
  readWebhook,
  readWish,
  requireOneself,
  WEBHOOK_ERRORS,
  WEBHOOK_PATH,
  WEBHOOK_REPLY_EXAMPLE,
  WEBHOOK_REQUEST_EXAMPLE,
  WebhookReplySchema,
  WebhookRequestSchema,
} from './webhook-reply.ts';

/** Changes the address of a webhook. Posts that wait go to the new address too. */
export const putWebhook = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'changeWebhook',
    summary: 'Change the address of a webhook',
    description:
      'Sends later events to the new address, and at once the posts that wait, retries included: no more start to the former address. The same address again changes nothing; after a 410 it gets later events again.',
    tag: 'Webhooks',
    parameters: [WEBHOOK_PATH.idUser, WEBHOOK_PATH.webhook],
    body: WebhookRequestSchema,
    bodyExample: WEBHOOK_REQUEST_EXAMPLE,
    replies: {
      200: { description: 'The changed webhook', schema: WebhookReplySchema, example: WEBHOOK_REPLY_EXAMPLE },
    },
    errors: [...MEMBER_ERRORS, 'NOT_FOUND', ...WEBHOOK_ERRORS],
  },
  handle: async (app, request) => {
    const user = await requireOneself(app, request);
    const webhook = readWebhook(request);
    const wish = readWish(app, request, user);
    if (wish.webhook !== webhook)
      throw new Problem('INVALID_BODY', {
        detail: {
          en: 'webhook is another word than in the path: send the same.',
          es: 'webhook no es igual al de la ruta: envía el mismo.',
        },
      });
    if (!(await selectSubscriptions(app.db, user.id)).some((one) => one.webhook === webhook))
      throw notFound(
        'You have no such webhook: POST /webhooks makes one.',
        'No tienes ese webhook: POST /webhooks lo crea.',
      );
    const set = await setWebhook(app, { userId: user.id, ...wish }, actorOf(request, user));
    return { message: 'OK', errors: null, data: describeWebhook(set) };
  },
});
