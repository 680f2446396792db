import { replyOf, type Static, Type } from '../../http/json-schema.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { formatDecimal } from '../../lib/money.ts';
import type { ListedLink } from '../../payment-links/find-payment-link.ts';
import { LINK_USES } from '../../payment-links/payment-link.ts';

/** The error codes that every endpoint of links may return. */
export const LINK_ERRORS = ['PERMISSION_MISSING'] as const;

/** A link in its current state. */
export const PaymentLinkSchema = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ description: 'Address to give to the payer' }),
    qr: Type.String({ description: 'URL of an SVG file with the QR code of the address' }),
    poster: Type.String({ description: 'URL of a page to print, with the QR code' }),
    payment_service: Type.String({ description: 'Id of the payment service that is paid' }),
    environment: Type.String({ enum: ['development', 'production'] }),
    amount: Type.String({ description: 'With the decimals of a callback: `12990.00`' }),
    currency: Type.String(),
    subject: Type.String({ description: 'Reason of the payment, shown to the payer' }),
    uses: Type.String({ enum: LINK_USES, description: '`one`: can be paid once; `many`: any number of times' }),
    state: Type.String({
      enum: ['open', 'used', 'expired', 'ended'],
      description: '`used`: a link for one payment was paid; `ended`: a user ended it',
    }),
    payments: Type.Integer({ description: 'Number of payments' }),
    callback_url: Type.Nullable(Type.String(), {
      description: 'URL for the callback of each payment; null: no callbacks',
    }),
    created_at: Type.String(),
    expires_at: Type.Nullable(Type.String(), {
      description: 'Time after which the link cannot be paid; null: until a user ends it',
    }),
    ended_at: Type.Nullable(Type.String(), { description: 'Time at which a user ended it' }),
  },
  { $id: 'PaymentLink' },
);

export const LINK_EXAMPLE = {
  id: 'pl_4m0c7r2n9k5xw3ehb8tq',
  url: 'https://pay.example.cl/link/pl_4m0c7r2n9k5xw3ehb8tq',
  qr: 'https://pay.example.cl/link/pl_4m0c7r2n9k5xw3ehb8tq/qr.svg',
  poster: 'https://pay.example.cl/link/pl_4m0c7r2n9k5xw3ehb8tq/poster',
  payment_service: 'ps_0123456789abcdefghjk',
  environment: 'development',
  amount: '12990.00',
  currency: 'CLP',
  subject: 'Inscripción 2026',
  uses: 'one',
  state: 'open',
  payments: 0,
  callback_url: null,
  created_at: '2026-01-15T12:00:00.000Z',
  expires_at: '2026-02-15T12:00:00.000Z',
  ended_at: null,
} as const;

export const LinkReplySchema = replyOf('PaymentLinkReply', PaymentLinkSchema);

export const LINK_REPLY_EXAMPLE = { message: 'OK', errors: null, data: LINK_EXAMPLE };

export const LINK_PATH = [
  { name: 'id', in: 'path', required: true, description: 'Id of the link, pl_…', schema: Type.String() },
] as const;

/** Returns a link as JSON. */
export function linkJson(link: ListedLink): Static<typeof PaymentLinkSchema> {
  const { id, url, environment, amount, currency, subject, uses, state, paid } = link;
  return {
    id,
    url,
    qr: `${url}/qr.svg`,
    poster: `${url}/poster`,
    payment_service: link.payment_service,
    environment: environment === 'production' ? 'production' : 'development',
    amount: formatDecimal(amount, currency),
    currency,
    subject,
    uses,
    state,
    payments: paid,
    callback_url: link.url_callback,
    created_at: isoTime(link.created_at),
    expires_at: isoTime(link.expires_at),
    ended_at: isoTime(link.ended_at),
  };
}
