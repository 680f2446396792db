import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { prefixedId } from '../lib/ids.ts';
import type { LinkWish, PaymentLink } from './payment-link.ts';
import { insertPaymentLink, selectLinkAnywhere, updateLinkEnded } from './payment-link-queries.ts';

/** Makes a link that can be paid at once. The caller has checked what is asked for and that the environment is the maker's. */
export async function createPaymentLink(
  app: App,
  environmentId: number,
  wish: LinkWish,
  by: Actor,
): Promise<PaymentLink> {
  const { amount, currency, subject, uses } = wish;
  const link: PaymentLink = {
    id: prefixedId('pl'),
    environment_id: environmentId,
    amount,
    currency,
    subject,
    uses,
    url_callback: wish.urlCallback,
    created_at: app.now(),
    created_by: by.name,
    expires_at: wish.expiresAt,
    ended_at: null,
    opened: 0,
  };
  await app.db.transaction(async (tx) => {
    await insertPaymentLink(tx, link);
    await recordAudit(tx, {
      at: link.created_at,
      by,
      action: 'payment_link.created',
      subject: { kind: 'payment_link', id: link.id },
      after: { environment: environmentId, amount, currency, uses, expires_at: wish.expiresAt },
    });
  });
  return link;
}

/**
 * Ends a link for good; who is paying already can finish. `environmentIds`: those that the person sees, null for all. `unknown`:
 * there is no such link there. `already`: it was ended before.
 */
export function endPaymentLink(
  app: App,
  id: string,
  environmentIds: ReadonlySet<number> | null,
  by: Actor,
): Promise<'ended' | 'already' | 'unknown'> {
  return app.db.transaction(async (tx) => {
    const link = await selectLinkAnywhere(tx, id);
    if (link === null || environmentIds?.has(link.environment_id) === false) return 'unknown';
    const at = app.now();
    if (!(await updateLinkEnded(tx, link, at))) return 'already';
    await recordAudit(tx, { at, by, action: 'payment_link.ended', subject: { kind: 'payment_link', id } });
    return 'ended';
  });
}
