import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { notFound, Problem } from '../../error-catalogue.ts';
import type { ErrorItem } from '../../error-item.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { invalidBody, readMembers } from '../../http/read-members.ts';
import { requireUser } from '../../http/require-user.ts';
import {
  isWebhook,
  userNumber,
  WEBHOOK_METHODS,
  WEBHOOKS,
  type Webhook,
  type WebhookMethod,
  type WebhookSubscription,
} from '../../outbox/webhooks/webhook-subscription.ts';
import { refuseGivenUrl } from '../../payment-services/callback-address.ts';

const names = Object.keys(WEBHOOKS) as Webhook[];

const METHOD_MEANS =
  'As you sent it. Default: POST. Events are always posted, because a GET cannot carry the signed body';

export const WebhookRequestSchema = Type.Object(
  {
    url: Type.String({ description: 'URL of your server: https, with a public host name' }),
    method: Type.Optional(Type.String({ enum: WEBHOOK_METHODS, description: METHOD_MEANS })),
    webhook: Type.String({ enum: names, description: '`remittances`: payouts and refunds; `refunds`: only refunds' }),
    idUser: Type.Optional(Type.String({ description: 'Your `id` in `GET /users`' })),
  },
  { $id: 'WebhookRequest', additionalProperties: false },
);

export const WEBHOOK_REQUEST_EXAMPLE = {
  url: 'https://shop.example/webhooks',
  method: 'POST',
  webhook: 'remittances',
};

export const WebhookSchema = Type.Object(
  {
    webhook: Type.String({ enum: names }),
    url: Type.String(),
    method: Type.String({ enum: WEBHOOK_METHODS, description: METHOD_MEANS }),
    idUser: Type.Integer({ description: 'Your `id` in `GET /users`' }),
    createdAt: Type.String(),
  },
  { $id: 'Webhook' },
);

export const WEBHOOK_EXAMPLE = {
  ...WEBHOOK_REQUEST_EXAMPLE,
  idUser: 1_234_567,
  createdAt: '2026-01-15T12:00:00.000Z',
};

export const WebhookReplySchema = replyOf('WebhookReply', WebhookSchema);

export const WEBHOOK_REPLY_EXAMPLE = { message: 'OK', errors: null, data: WEBHOOK_EXAMPLE };

export const WEBHOOK_ERRORS = ['PERMISSION_MISSING', 'NO_PERMISSION'] as const;

export const WEBHOOK_PATH = {
  idUser: {
    name: 'idUser',
    in: 'path',
    required: true,
    description: 'Your `id` in `GET /users`',
    schema: Type.String(),
  },
  webhook: {
    name: 'webhook',
    in: 'path',
    required: true,
    description: 'Name of your webhook',
    schema: Type.String({ enum: names }),
  },
} as const;

/** Returns the user of the request. Throws `Problem` `NO_PERMISSION` unless the path names the same user. */
export async function requireOneself(app: App, request: FastifyRequest): Promise<User> {
  const user = await requireUser(app, request);
  const { idUser } = request.params as { idUser: string };
  if (idUser !== String(userNumber(user.id)) && idUser !== user.id) throw new Problem('NO_PERMISSION');
  return user;
}

/** Reads the webhook's name from the path. Throws `Problem` `NOT_FOUND`. */
export function readWebhook(request: FastifyRequest): Webhook {
  const { webhook } = request.params as { webhook: string };
  if (isWebhook(webhook)) return webhook;
  throw notFound(
    `There is no such webhook; there are ${names.join(' and ')}.`,
    `No existe ese webhook; existen ${names.join(' y ')}.`,
  );
}

type Wish = { url: string; webhook: Webhook; method: WebhookMethod };

/**
 * Reads the subscription from the body. Throws `Problem` for a missing or unknown member, another user's id, or an
 * address that the service may not call.
 */
export function readWish(app: App, request: FastifyRequest, user: User): Wish {
  const { url, method, webhook, idUser } = readMembers(request, WebhookRequestSchema);
  if (idUser !== null && idUser !== String(userNumber(user.id)) && idUser !== user.id)
    throw new Problem('NO_PERMISSION');
  const refusal = refuseGivenUrl(app, app.config.allowPrivateCallbacks, url);
  if (refusal !== null) throw invalidBody([{ pointer: '/url', ...refusal } satisfies ErrorItem]);
  return { url, webhook, method: method ?? 'POST' };
}

/** Returns a webhook as JSON. */
export function describeWebhook({ user_id, webhook, url, method, created_at }: WebhookSubscription) {
  return {
    webhook,
    url,
    method,
    idUser: userNumber(user_id),
    createdAt: new Date(created_at).toISOString(),
  };
}
