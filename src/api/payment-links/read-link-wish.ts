import type { FastifyRequest } from 'fastify';
import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { type ErrorItem, errorItem } from '../../error-item.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody, readMembers } from '../../http/read-members.ts';
import { readIsoTime } from '../../lib/iso-time.ts';
import { parseDecimal } from '../../lib/money.ts';
import {
  isLinkEnd,
  LINK_USES,
  type LinkWish,
  MOST_LINK_AMOUNT,
  readSubject,
  WRONG_LINK_CURRENCY,
  WRONG_LINK_END,
} from '../../payment-links/payment-link.ts';
import { refuseCallbackUrl } from '../../payment-services/callback-address.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import { ENVIRONMENTS, type Environment } from '../../payment-services/payment-service.ts';

/** The request body for a new link. */
export const LinkRequestSchema = Type.Object(
  {
    amount: Type.Union([Type.Number(), Type.String()], {
      description: '12990, or 10.55 in a currency with decimals; also as text, as in responses',
    }),
    currency: Type.Optional(Type.String({ description: 'Default: CLP' })),
    subject: Type.String({
      minLength: 1,
      maxLength: 80,
      description: 'Reason of the payment, shown to the payer',
    }),
    uses: Type.Optional(
      Type.String({
        enum: LINK_USES,
        description: '`one` (default): can be paid once; `many`: can be paid any number of times',
      }),
    ),
    expires_at: Type.Optional(Type.String({ description: 'ISO 8601 with an offset or `Z`, within five years' })),
    callback_url: Type.Optional(Type.String({ maxLength: 2048, description: 'URL for the callback of each payment' })),
    payment_service: Type.Optional(
      Type.String({ description: 'Id of the payment service that is paid. Default: the only one that you see' }),
    ),
    environment: Type.Optional(
      Type.String({ enum: ENVIRONMENTS, description: 'Default: the environment of RUBRICA_ENV' }),
    ),
  },
  { $id: 'PaymentLinkRequest', additionalProperties: false },
);

type Members = ReturnType<typeof readMembers<typeof LinkRequestSchema>>;

/** Reads the requested link and its environment from the body. Throws `Problem` INVALID_BODY (422) with every error. */
export async function readLinkWish(
  app: App,
  request: FastifyRequest,
  user: User,
): Promise<{ environmentId: number; wish: LinkWish }> {
  const members = readMembers(request, LinkRequestSchema);
  const errors: ErrorItem[] = [];
  const owner = await findOwner(app, user, members, errors);
  const wish = {
    ...readAmount(members, errors),
    subject: readSubjectOf(members, errors),
    uses: LINK_USES.find((one) => one === members.uses) ?? 'one',
    expiresAt: readEnd(members, errors),
    urlCallback: readCallback(app, owner?.environment ?? 'production', members, errors),
  };
  const { expiresAt } = wish;
  if (errors.length > 0 && expiresAt !== null && !isLinkEnd(expiresAt, app.now())) errors.push(WRONG_LINK_END);
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidBody([first, ...others]);
  return { environmentId: owner?.id ?? 0, wish };
}

type Owner = { id: number; environment: Environment };

/**
 * Returns the owner of the link, or null after adding an error. A payment service that the user may not see gets the
 * same error as one that does not exist.
 */
async function findOwner(app: App, user: User, members: Members, errors: ErrorItem[]): Promise<Owner | null> {
  const { payment_service: service } = members;
  const asked = ENVIRONMENTS.find((name) => name === members.environment);
  const [usual, other] = app.config.mode === 'production' ? ENVIRONMENTS.toReversed() : ENVIRONMENTS;
  for (const environment of asked === undefined ? [usual, other] : [asked]) {
    if (environment === undefined) continue;
    const [id, ...others] = await listEnvironmentIds(app, environment, service, user.environmentIds);
    if (id !== undefined && others.length === 0) return { id, environment };
    if (id === undefined) continue;
    errors.push(
      wrong('payment_service', [
        `You see ${others.length + 1} payment services, and one is paid.`,
        'Name it in payment_service.',
        `Ves ${others.length + 1} servicios de pago, y se le paga a uno.`,
        'Nómbralo en payment_service.',
      ]),
    );
    return null;
  }
  errors.push(
    wrong('payment_service', [
      'You see no such payment service.',
      'Send the id of one that your user belongs to.',
      'No ves ese servicio de pago.',
      'Envía el id de uno al que tu usuario pertenece.',
    ]),
  );
  return null;
}

function readAmount(members: Members, errors: ErrorItem[]): Pick<LinkWish, 'amount' | 'currency'> {
  const currency = members.currency ?? 'CLP';
  if (currencyExponent(currency) === undefined) {
    errors.push(WRONG_LINK_CURRENCY);
    return { amount: 0, currency };
  }
  const amount = parseDecimal(members.amount, currency);
  if (amount !== null && amount >= 1 && amount <= MOST_LINK_AMOUNT) return { amount, currency };
  errors.push(
    wrong('amount', [
      `amount is not an amount of ${currency}.`,
      'Send a number above 0, of at most 11 digits, such as 12990; decimals only where the currency has them.',
      `amount no es un monto en ${currency}.`,
      'Envía un número mayor que 0, de 11 dígitos como máximo, como 12990; con decimales solo si la moneda los tiene.',
    ]),
  );
  return { amount: 0, currency };
}

function readSubjectOf(members: Members, errors: ErrorItem[]): string {
  const subject = readSubject(members.subject);
  if (subject !== null) return subject;
  errors.push(
    wrong('subject', [
      'subject cannot be used.',
      'Send 1 to 80 characters, without line breaks or a card number.',
      'subject no sirve.',
      'Envía de 1 a 80 caracteres, sin saltos de línea ni un número de tarjeta.',
    ]),
  );
  return '';
}

function readEnd(members: Members, errors: ErrorItem[]): number | null {
  if (members.expires_at === null) return null;
  const at = readIsoTime(members.expires_at);
  // Creating the link checks that the time lies in the future. A retried request may arrive after that time.
  if (at === null) errors.push(WRONG_LINK_END);
  return at;
}

function readCallback(app: App, environment: Environment, members: Members, errors: ErrorItem[]): string | null {
  const { callback_url: url } = members;
  if (url === null) return null;
  const refusal = refuseCallbackUrl(app, environment, url);
  if (refusal === null) return url;
  errors.push({ pointer: '/callback_url', ...refusal });
  return null;
}

function wrong(name: string, words: Parameters<typeof errorItem>[2]): ErrorItem {
  return errorItem(`/${name}`, 'INVALID_PARAMETER', words);
}
