import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import { prefixedId } from '../lib/ids.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import { isLinkEnd, type LinkWish, type PaymentLink, WRONG_LINK_CURRENCY, WRONG_LINK_END } from './payment-link.ts';
import { insertPaymentLink, selectLinkAnywhere, selectLinkByKey, updateLinkEnded } from './payment-link-queries.ts';

/** `replayed`: its key made this link before. `reused`: its key belongs to a wish for another. */
export type LinkCreation = { kind: 'created' | 'replayed' | 'reused'; link: PaymentLink };

/**
 * Makes a link that can be paid at once. The caller has checked what is asked for and that the environment is the maker's; a
 * new link that would end in the past, or that no payment method could ever collect, is refused here (`Problem` INVALID_BODY), where a
 * repeated wish for one is known. Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING where another database has the
 * payment service.
 */
export async function createPaymentLink(
  app: App,
  environmentId: number,
  wish: LinkWish,
  by: Actor,
): Promise<LinkCreation> {
  const { environment } = await environmentHere(app, { environment_id: environmentId });
  const link = newLink(environmentId, wish, app.now(), by);
  const { amount, currency, uses, expires_at } = link;
  return app.db.transaction<LinkCreation>(async (tx) => {
    if (!(await insertPaymentLink(tx, link))) return findEarlier(tx, link);
    if (expires_at !== null && !isLinkEnd(expires_at, link.created_at)) {
      throw new Problem('INVALID_BODY', { errors: [WRONG_LINK_END] });
    }
    // A method that nobody has set up yet may be before somebody pays.
    if (!app.paymentMethods.some((method) => method.accepts({ environment, currency, amount, configured: true }))) {
      throw new Problem('INVALID_BODY', { errors: [WRONG_LINK_CURRENCY] });
    }
    await recordAudit(tx, {
      at: link.created_at,
      by,
      action: 'payment_link.created',
      subject: { kind: 'payment_link', id: link.id },
      after: { environment: environmentId, amount, currency, uses, expires_at },
    });
    return { kind: 'created', link };
  });
}

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

/**
 * Ends a link for good; who is paying already can finish. `environmentIds`: those that the person sees, null for all. `unknown`:
 * there is no such link there. `already`: it was ended before.
 */
export async function endPaymentLink(
  app: App,
  id: string,
  environmentIds: ReadonlySet<number> | null,
  by: Actor,
): Promise<'ended' | 'already' | 'unknown'> {
  const known = await selectLinkAnywhere(app.db, id);
  if (known !== null) await environmentHere(app, known);
  return app.db.transaction(async (tx) => {
    const link = await selectLinkAnywhere(tx, id);
    if (link === null || environmentIds?.has(link.environment_id) === false) return 'unknown';
    const at = app.now();
    if (!(await updateLinkEnded(tx, link, at))) return 'already';
    await recordAudit(tx, { at, by, action: 'payment_link.ended', subject: { kind: 'payment_link', id } });
    return 'ended';
  });
}
