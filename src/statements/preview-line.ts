import type { App } from '../app.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import { selectEntriesOfPayout } from '../books/journal-queries.ts';
import type { Tx } from '../db/database.ts';
import { rehearse } from '../db/rehearse.ts';
import { type Movement, movementEntries } from '../movements/movement.ts';
import { lockMovement, selectReturn } from '../movements/movement-queries.ts';
import { selectPayoutAnywhere } from '../payouts/payout-queries.ts';
import { isBooking, type LineDecision, requireAccountHere, resolveIn } from './resolve-line.ts';

/** An entry that an act would add to the books. */
type AddedEntry = Pick<JournalEntry, 'kind' | 'debit_account' | 'credit_account' | 'amount' | 'currency'>;

/** The entries that a decision about a line would add, and the movement that it would record; null: none. */
export type LinePreview = { readonly entries: readonly AddedEntry[]; readonly booked: Movement | null };

/** Returns the effect of `resolveLine` on a line that can be explained, and changes nothing. Throws as it does. */
export async function previewLine(app: App, decision: LineDecision): Promise<LinePreview> {
  await requireAccountHere(app, decision);
  return rehearse(app.db, async (tx) => {
    const { is } = decision;
    const named = 'payoutId' in is ? is.payoutId : null;
    const before = named === null ? [] : await entriesOf(tx, named);
    const [line] = await resolveIn(tx, decision, app.now());
    const booked = isBooking(is) && line?.subject ? await lockMovement(tx, line.subject) : null;
    if (booked !== null) return { entries: movementEntries(booked), booked };
    return { entries: named === null ? [] : (await entriesOf(tx, named)).slice(before.length), booked };
  });
}

/**
 * Returns the entries of a payout in their order; of a payout recorded to a merchant (`mv_…`), the entries of its
 * return.
 */
async function entriesOf(tx: Tx, id: string): Promise<readonly AddedEntry[]> {
  if (!id.startsWith('mv_')) {
    const payout = await selectPayoutAnywhere(tx, id);
    return payout === null ? [] : selectEntriesOfPayout(tx, payout);
  }
  const movement = await lockMovement(tx, id);
  const back = movement === null ? null : await selectReturn(tx, movement);
  return back === null ? [] : movementEntries(back);
}
