import type { App } from '../app.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Payout } from './payout.ts';
import { selectPayouts } from './payout-queries.ts';
import type { RecipientDetails } from './recipients/recipient.ts';
import { selectRecipientVersions } from './recipients/recipient-queries.ts';
import { detailsPaid } from './recipients/seal-recipient.ts';

/** A payout with its payment service and its recipient. `recipient` null: erased, or changed directly in the store. */
export type RemittedPayout = { payout: Payout; owner: ServiceEnvironment; recipient: RecipientDetails | null };

/**
 * Returns the newest payouts of these environments made from `from` (inclusive) to `to` (exclusive), UTC milliseconds.
 * Omits drafts.
 */
export async function listRemitted(
  app: App,
  { environmentIds, from, to }: { environmentIds: readonly number[]; from: number; to: number },
  limit: number,
): Promise<RemittedPayout[]> {
  const filter = { since: from, until: to, except: 'draft' } as const;
  const payouts = await selectPayouts(app.db, environmentIds, filter, { limit });
  const detailsOf = detailsPaid(app, await selectRecipientVersions(app.db, payouts));
  return Promise.all(
    payouts.map(async (payout) => ({ payout, owner: await environmentOf(app, payout), recipient: detailsOf(payout) })),
  );
}
