import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import { selectLinkAnywhere, updateLinkEnded } from './payment-link-queries.ts';

/**
 * Ends a link for good; a payer who has already begun can finish. `environmentIds`: those that the person sees, null
 * for all. `unknown`: no such link in these. `already`: it was ended before.
 */
export async function endPaymentLink(
  app: App,
  id: string,
  environmentIds: ReadonlySet<number> | null,
  by: Actor,
): Promise<'ended' | 'already' | 'unknown'> {
  const link = await selectLinkAnywhere(app.db, id);
  if (link === null || environmentIds?.has(link.environment_id) === false) return 'unknown';
  // Only now: its refusal says where the payment service is, which somebody who does not see it may not know.
  await environmentHere(app, link);
  return app.db.transaction(async (tx) => {
    const at = app.now();
    if (!(await updateLinkEnded(tx, link, at))) return 'already';
    await recordAudit(tx, { at, by, action: 'payment_link.ended', subject: { kind: 'payment_link', id } });
    return 'ended';
  });
}
