import type { App } from '../../app.ts';
import type { PlannedPayout } from '../propose-payouts.ts';
import type { PayoutOwner } from '../transition-payouts.ts';
import { ALIKE_MS, selectAmountsTo } from './alike-payout-queries.ts';

/** Whether another row, or a payout that was made lately, has the RUT and amount of a planned payout. */
export type Duplicates = { readonly row: boolean; readonly payout: boolean };

/**
 * Returns a function that says whether a planned payout may pay something a second time, as the warnings of a payout
 * do. Parts of one row are not duplicates.
 */
export async function findDuplicates(
  app: App,
  { id }: Pick<PayoutOwner, 'id'>,
  planned: readonly PlannedPayout[],
): Promise<(one: PlannedPayout) => Duplicates> {
  const rutHashes = [...new Set(planned.map(({ payee }) => payee.row.rut_hash))];
  const made = await selectAmountsTo(app.db, id, rutHashes, app.now() - ALIKE_MS);
  const lately = new Set(made.map(({ rut_hash, amount }) => `${rut_hash} ${amount}`));
  const rows = new Map<string, Set<number>>();
  for (const one of planned) rows.set(groupOf(one), (rows.get(groupOf(one)) ?? new Set()).add(one.wish.row));
  return (one) => ({ row: (rows.get(groupOf(one))?.size ?? 0) > 1, payout: lately.has(groupOf(one)) });
}

function groupOf({ wish, payee }: PlannedPayout): string {
  return `${payee.row.rut_hash} ${wish.amount}`;
}
