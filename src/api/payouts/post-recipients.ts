import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { keepRecipient } from '../../payouts/recipients/keep-recipient.ts';
import {
  KEEPING_ERRORS,
  RECIPIENT_REPLY_EXAMPLE,
  RECIPIENT_REQUEST_EXAMPLE,
  RecipientReplySchema,
  RecipientRequestSchema,
  readRecipient,
  recipientJson,
} from './recipient-schemas.ts';

const KEPT = {
  200: { description: 'The recipient', schema: RecipientReplySchema, example: RECIPIENT_REPLY_EXAMPLE },
};

/** Stores a validated account as a recipient of payouts. */
export const postRecipients = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'createRecipient',
    summary: 'Store a validated account as a recipient',
    description:
      'Stores a validated account for payouts. Send the validated data again with the id of the validation, because a validation stores neither the RUT nor the account. The same request again returns the same recipient.',
    tag: 'Recipients',
    body: RecipientRequestSchema,
    bodyExample: RECIPIENT_REQUEST_EXAMPLE,
    replies: KEPT,
    errors: [...KEEPING_ERRORS],
  },
  handle: (app, request) => keep(app, request, null),
});

/** Stores a new version of a recipient: another account, or a newer verdict. */
export const postRecipientsId = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'changeRecipient',
    summary: 'Change the account of a recipient',
    description:
      'Creates a new version of the recipient, with another account or a newer verdict of the same account. Both need a new validation. The holder stays the same.',
    tag: 'Recipients',
    parameters: [{ name: 'id', in: 'path', required: true, description: 'Id of the recipient', schema: Type.String() }],
    body: RecipientRequestSchema,
    bodyExample: RECIPIENT_REQUEST_EXAMPLE,
    replies: KEPT,
    errors: [...KEEPING_ERRORS],
  },
  handle: (app, request) => keep(app, request, (request.params as { id: string }).id),
});

async function keep(app: App, request: FastifyRequest, id: string | null) {
  const user = await requireUser(app, request);
  const by = actorOf(request, user);
  const recipient = await keepRecipient(app, user, id, readRecipient(request), by);
  return { message: 'The recipient was stored.', errors: null, data: recipientJson(recipient) };
}
