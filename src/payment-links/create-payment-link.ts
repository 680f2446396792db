import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { availableMethods } from '../checkout/available-methods.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { errorItem } from '../error-item.ts';
import { prefixedId } from '../lib/ids.ts';
import { environmentHere, loadEnvironment } from '../payment-services/find-environment.ts';
import { leastAmount } from '../transactions/transaction.ts';
import {
  hashOfLink,
  isLinkEnd,
  isTooFine,
  type LinkWish,
  type PaymentLink,
  TOO_FINE,
  tooSmall,
  WRONG_LINK_CURRENCY,
  WRONG_LINK_END,
} from './payment-link.ts';
import { insertPaymentLink, selectLinkByKey } from './payment-link-queries.ts';

/** `replayed`: the key made this link before. `reused`: the key belongs to a different link. */
export type LinkCreation = { kind: 'created' | 'replayed' | 'reused'; link: PaymentLink };

/**
 * Creates a link that can be paid at once. The caller has checked the fields, and that the maker may use the
 * environment. Throws `Problem` INVALID_BODY for a new link that would end in the past or after five years, or whose
 * amount is too small, has more than two decimals, or is of a currency that no payment method collects, or whose
 * payment service is disabled; a repeated key of an existing link is recognised first. Throws NO_PAYMENT_METHOD if no
 * method that collects it has settings, and PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has the
 * payment service.
 */
export async function createPaymentLink(
  app: App,
  environmentId: number,
  wish: LinkWish,
  by: Actor,
): Promise<LinkCreation> {
  const owner = await environmentHere(app, { environment_id: environmentId });
  const { environment, paymentServiceId } = owner;
  const isEnabled = (await loadEnvironment(app, owner.serviceToken)) !== null;
  const link = newLink(environmentId, wish, app.now(), by);
  const { amount, currency, uses, expires_at } = link;
  return app.db.transaction<LinkCreation>(async (tx) => {
    if (!(await insertPaymentLink(tx, link))) return findEarlier(tx, link);
    if (expires_at !== null && !isLinkEnd(expires_at, link.created_at)) {
      throw new Problem('INVALID_BODY', { errors: [WRONG_LINK_END] });
    }
    if (!isEnabled) throw new Problem('INVALID_BODY', { errors: [DISABLED] });
    if (amount < leastAmount(currency)) throw new Problem('INVALID_BODY', { errors: [tooSmall(currency)] });
    if (isTooFine(link)) throw new Problem('INVALID_BODY', { errors: [TOO_FINE] });
    if (!app.paymentMethods.some((method) => method.accepts({ environment, currency, amount, configured: true }))) {
      throw new Problem('INVALID_BODY', { errors: [WRONG_LINK_CURRENCY] });
    }
    if (availableMethods(app, owner, link).length === 0)
      throw new Problem('NO_PAYMENT_METHOD', { detail: NOBODY_COLLECTS });
    await recordAudit(tx, {
      at: link.created_at,
      by,
      action: 'payment_link.created',
      subject: { kind: 'payment_link', id: link.id },
      after: {
        payment_service: paymentServiceId,
        environment,
        amount,
        currency,
        uses,
        expires_at,
        content_sha256: hashOfLink(link),
      },
    });
    return { kind: 'created', link };
  });
}

const DISABLED = errorItem('/payment_service', 'INVALID_PARAMETER', [
  'The payment service is disabled, so nobody could pay the link.',
  'Enable it first.',
  'El servicio de pago está deshabilitado: nadie podría pagar el enlace.',
  'Habilítalo primero.',
]);

const NOBODY_COLLECTS = {
  en: 'No payment method is set up that could collect this. Set one up, or make the link in development.',
  es: 'No hay un medio de pago configurado que pueda cobrarlo. Configura uno, o crea el enlace en desarrollo.',
};

function newLink(environmentId: number, wish: LinkWish, now: number, by: Actor): PaymentLink {
  const { amount, currency, subject, uses } = wish;
  return {
    id: prefixedId('pl'),
    environment_id: environmentId,
    amount,
    currency,
    subject,
    uses,
    url_callback: wish.urlCallback,
    created_at: now,
    created_by: by.name,
    expires_at: wish.expiresAt,
    ended_at: null,
    opened: 0,
    idempotency_key: wish.idempotencyKey ?? null,
  };
}

const WISHED = ['amount', 'currency', 'subject', 'uses', 'url_callback', 'expires_at'] as const;

async function findEarlier(tx: Tx, link: PaymentLink): Promise<LinkCreation> {
  const earlier = await selectLinkByKey(tx, link.environment_id, link.idempotency_key ?? '');
  if (earlier === null) throw new Error('A payment link is gone');
  const isSame = WISHED.every((name) => earlier[name] === link[name]);
  return { kind: isSame ? 'replayed' : 'reused', link: earlier };
}
