import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { notACursor, notFound } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { findListedLink, type ListedLink, listPaymentLinks } from '../../payment-links/find-payment-link.ts';
import type { LinkPlace } from '../../payment-links/payment-link-queries.ts';
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
    next: Type.Nullable(Type.String(), {
      description: '`after` for the next page; null on the last page',
    }),
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
    const { after, limit = USUAL } = query();
    const place = after === undefined ? undefined : readCursor(after);
    const seen = environmentIds === null ? null : [...environmentIds];
    const found = await listPaymentLinks(app, seen, limit + 1, place);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const next = found.length > limit && last !== undefined ? writeCursor({ at: last.created_at, id: last.id }) : null;
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
    errors: [...LINK_ERRORS, 'NOT_FOUND'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const link = await requireLink(app, user, (request.params as { id: string }).id);
    return { message: 'OK', errors: null, data: linkJson(link) };
  },
});

/** Returns a link that the user may see. Throws `Problem` NOT_FOUND, also for a link of another merchant. */
export async function requireLink(app: App, { environmentIds }: User, id: string): Promise<ListedLink> {
  const link = await findListedLink(app, id, environmentIds);
  if (link !== null) return link;
  throw notFound('There is no such payment link.', 'No existe ese enlace de pago.');
}

function writeCursor({ at, id }: LinkPlace): string {
  return Buffer.from(`${at}.${id}`).toString('base64url');
}

function readCursor(text: string): LinkPlace {
  const match = /^(\d{1,15})\.(pl_[0-9a-z]{20})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (match !== null) return { at: Number(match[1]), id: match[2] as string };
  throw notACursor();
}
