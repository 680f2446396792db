import { operation } from '../../http/endpoint.ts';
import { MEMBER_ERRORS } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { setWebhook } from '../../outbox/webhooks/set-webhook.ts';
import {
  describeWebhook,
  readWish,
  WEBHOOK_ERRORS,
  WEBHOOK_REPLY_EXAMPLE,
  WEBHOOK_REQUEST_EXAMPLE,
  WebhookReplySchema,
  WebhookRequestSchema,
} from './webhook-reply.ts';

/** Registers an address for one of the user's webhooks. */
export const postWebhooks = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'createWebhook',
    summary: 'Subscribe to remittances and refunds',
    description:
      'Subscribes `url` to every payout and refund that the user sees, from now on. Each is posted as the JSON of the events URL, with Standard Webhooks headers signed with the Secret Token of the payment service, and retried on the schedule of callbacks. A user has one address for each webhook; a new address replaces it.',
    tag: 'Webhooks',
    body: WebhookRequestSchema,
    bodyExample: WEBHOOK_REQUEST_EXAMPLE,
    replies: {
      201: { description: 'The subscribed webhook', schema: WebhookReplySchema, example: WEBHOOK_REPLY_EXAMPLE },
    },
    errors: [...MEMBER_ERRORS, ...WEBHOOK_ERRORS],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const set = await setWebhook(app, { userId: user.id, ...readWish(app, request, user) }, actorOf(request, user));
    reply.code(201);
    return { message: 'OK', errors: null, data: describeWebhook(set) };
  },
});
