import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { pageOf } from '../../db/newest-page.ts';
import { notFound } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter, NEXT, placeCursor, readPlaceCursor } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { findListedLink, type ListedLink, listPaymentLinks } from '../../payment-links/find-payment-link.ts';
import { environmentHere } from '../../payment-services/find-environment.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';
import {
  LINK_ERRORS,
  LINK_EXAMPLE,
  LINK_PATH,
  LINK_REPLY_EXAMPLE,
  LinkReplySchema,
  linkJson,
  PaymentLinkSchema,
} from './link-schemas.ts';

const MOST = 100;
const USUAL = 50;

const ListSchema = replyOf(
  'PaymentLinkList',
  Type.Object({
    links: Type.Array(PaymentLinkSchema),
    next: NEXT,
  }),
);

/** Lists the payment links that the user may see. */
export const getPaymentLinks = operation({
  describe: {
    operationId: 'listPaymentLinks',
    summary: 'List the payment links',
    description: 'Returns the links of all payment services that the user sees, newest first.',
    tag: 'Payment links',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST, USUAL)],
    replies: {
      200: {
        description: 'A page of links',
        schema: ListSchema,
        example: { message: 'OK', errors: null, data: { links: [LINK_EXAMPLE], next: null } },
      },
    },
    errors: [...LINK_ERRORS, 'INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const { environmentIds } = await requireUser(app, request);
    const { after: sent, limit = USUAL } = query();
    const after = readPlaceCursor(sent);
    const seen = environmentIds === null ? null : [...environmentIds];
    const { page, next } = pageOf(await listPaymentLinks(app, seen, { after, limit: limit + 1 }), limit, placeCursor);
    return { message: 'OK', errors: null, data: { links: page.map(linkJson), next } };
  },
});

export const getPaymentLinksId = operation({
  describe: {
    operationId: 'readPaymentLink',
    summary: 'Read a payment link',
    description: 'Returns a link with its state and the number of its payments.',
    tag: 'Payment links',
    parameters: LINK_PATH,
    replies: { 200: { description: 'The link', schema: LinkReplySchema, example: LINK_REPLY_EXAMPLE } },
    errors: [...LINK_ERRORS, 'NOT_FOUND', ...MOVE_ERRORS],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const link = await requireLink(app, user, (request.params as { id: string }).id);
    return { message: 'OK', errors: null, data: linkJson(link) };
  },
});

/**
 * Returns a link that the user may see. Throws `Problem` NOT_FOUND, also for a link of another merchant, and
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has it: the payments here are old.
 */
export async function requireLink(app: App, { environmentIds }: User, id: string): Promise<ListedLink> {
  const link = await findListedLink(app, id, environmentIds);
  if (link === null) throw notFound('There is no such payment link.', 'No existe ese enlace de pago.');
  await environmentHere(app, link);
  return link;
}
