import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { readIdempotencyKey } from '../../http/read-idempotency-key.ts';
import { MEMBER_ERRORS } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { createPaymentLink } from '../../payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../payment-links/end-payment-link.ts';
import { requireLink } from './get-payment-links.ts';
import { LINK_ERRORS, LINK_PATH, LINK_REPLY_EXAMPLE, LinkReplySchema, linkJson } from './link-schemas.ts';
import { LinkRequestSchema, readLinkWish } from './read-link-wish.ts';

/** Creates a payment link, which needs no shop. */
export const postPaymentLinks = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'createPaymentLink',
    summary: 'Create a payment link',
    description:
      'Creates an address, with a QR code and a poster, where a payer pays an amount without a shop. Send an `Idempotency-Key`: the same request with the same key returns the same link and `Idempotency-Hit: true`; another request with that key is refused with 409. Without a key, every request creates a link.',
    tag: 'Payment links',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description:
          'Your own key, such as the number of an invoice. The same key again returns the link that it created',
        schema: Type.String({ minLength: 1, maxLength: 200 }),
      },
    ],
    body: LinkRequestSchema,
    // Without `expires_at`: a fixed time in an example would lie in the past one day and be refused.
    bodyExample: { amount: 12990, subject: 'Inscripción 2026' },
    replies: {
      200: {
        description: 'The link, which can be paid at once',
        headers: { 'Idempotency-Hit': 'true if this key created the link before' },
        schema: LinkReplySchema,
        example: LINK_REPLY_EXAMPLE,
      },
    },
    errors: [
      ...LINK_ERRORS,
      'INVALID_JSON',
      'INVALID_HEADER',
      ...MEMBER_ERRORS,
      'UNSUPPORTED_MEDIA_TYPE',
      'IDEMPOTENCY_KEY_REUSED',
      'NO_PAYMENT_METHOD',
      'OUTCOME_UNKNOWN',
      'PAYMENT_SERVICE_MOVED',
      'PAYMENT_SERVICE_MOVING',
    ],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const idempotencyKey = readIdempotencyKey(request);
    const { environmentId, wish } = await readLinkWish(app, request, user);
    const by = actorOf(request, user);
    const { kind, link } = await createPaymentLink(app, environmentId, { ...wish, idempotencyKey }, by);
    if (kind === 'reused') throw new Problem('IDEMPOTENCY_KEY_REUSED');
    if (kind === 'replayed') reply.header('idempotency-hit', 'true');
    return { message: 'OK', errors: null, data: linkJson(await requireLink(app, user, link.id)) };
  },
});

/** Ends a link for good. */
export const postPaymentLinkEnd = operation({
  describe: {
    operationId: 'endPaymentLink',
    summary: 'End a payment link',
    description:
      'Ends a link: no new payment can start. A payer who has already started can finish. A link that ended before stays as it is.',
    tag: 'Payment links',
    parameters: LINK_PATH,
    replies: { 200: { description: 'The link', schema: LinkReplySchema, example: endedExample() } },
    errors: [...LINK_ERRORS, 'NOT_FOUND', 'OUTCOME_UNKNOWN', 'PAYMENT_SERVICE_MOVED', 'PAYMENT_SERVICE_MOVING'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = await requireLink(app, user, (request.params as { id: string }).id);
    await endPaymentLink(app, id, user.environmentIds, actorOf(request, user));
    return { message: 'OK', errors: null, data: linkJson(await requireLink(app, user, id)) };
  },
});

function endedExample() {
  const data = { ...LINK_REPLY_EXAMPLE.data, state: 'ended' as const, ended_at: '2026-01-20T12:00:00.000Z' };
  return { ...LINK_REPLY_EXAMPLE, data };
}
