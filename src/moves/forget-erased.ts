import type { SqlRow, Tx } from '../db/database.ts';
import { deleteSearchTerm, selectTermed } from '../search/search-queries.ts';
import { termsOf } from '../search/search-term.ts';
import type { Move } from './move.ts';

/**
 * Deletes the search terms of e-mail addresses that these rows of transactions no longer have. Somebody was erased in
 * the source after the target had indexed an earlier copy. Call it before the rows are written: nothing in the target
 * names the person afterwards.
 */
export async function forgetErased({ to }: Move, tx: Tx, rows: readonly SqlRow[]): Promise<void> {
  const erased = rows.filter(({ customer_email }) => customer_email === '').map(({ id }) => Number(id));
  const copies = erased.length === 0 ? [] : await selectTermed(tx, erased);
  for (const { id, environment_id, customer_email } of copies) {
    if (customer_email === '') continue;
    const term = (await termsOf(to)).of('email', customer_email);
    await deleteSearchTerm(tx, { term, transaction_id: id, environment_id });
  }
}
