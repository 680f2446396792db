import type { SqlValue } from '../db/database.ts';
import { indexWithoutEvents } from '../search/index-payments.ts';
import { termsOf } from '../search/search-term.ts';
import { selectOwnedPage } from './copied-row-queries.ts';
import { readCuts } from './cuts-of-moved.ts';
import type { Move } from './move.ts';
import { MOVED_TABLES } from './moved-tables.ts';
import { writeCopy } from './write-copy.ts';

const PAGE = 1000;

/**
 * Indexes the copied payments whose first events the source has deleted for their age. The target indexes all others
 * from its feed. Call it once the events are copied.
 */
export async function indexAged(move: Move): Promise<void> {
  const { from, to, scope } = move;
  const cuts = await readCuts(from);
  if (scope.environmentIds.every((id) => cuts(id) === null)) return;
  const terms = await termsOf(to);
  const copied = { table: 'transactions', rule: MOVED_TABLES.transactions };
  let after: SqlValue[] | null = null;
  for (let rows = 0, found = PAGE; found === PAGE; ) {
    const page = await selectOwnedPage(to.db, copied, scope, after, PAGE);
    found = page.length;
    const aged = page.filter((row) => Number(row['created_at']) <= (cuts(Number(row['environment_id'])) ?? 0));
    const ids = aged.map(({ id }) => Number(id));
    if (ids.length > 0) await writeCopy(move, (tx) => indexWithoutEvents(tx, terms, ids));
    after = [page.at(-1)?.['id'] ?? null];
    rows += found;
    move.onProgress({ step: 'copy', table: 'search_terms', rows });
  }
}
