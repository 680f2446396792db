import type { App } from '../app.ts';
import type { RowKey } from '../db/row-key.ts';
import type { JournalEntry } from './journal-entry.ts';
import {
  type Owner,
  selectChainedEnvironments,
  selectEntriesIn,
  selectEntriesOf,
  selectOwners,
} from './journal-queries.ts';

/**
 * Lists the newest entries of one transaction (null: of all), with the names of their payment service and environment.
 */
export async function listEntries(app: App, transaction: RowKey<number> | null, limit: number) {
  if (transaction !== null) return selectEntriesOf(app.db, transaction, limit);
  // One environment after another, each by its index: one query would sort the entries of all.
  const newest: (JournalEntry & Owner)[] = [];
  for (const id of await selectChainedEnvironments(app.db)) newest.push(...(await selectEntriesIn(app.db, id, limit)));
  return newest.toSorted((one, other) => other.created_at - one.created_at).slice(0, limit);
}

/** Lists the owners of the books of these environments, by the id of the environment. */
export async function listOwners(app: App, environmentIds: readonly number[]): Promise<Map<number, Owner>> {
  const rows = await selectOwners(app.db, environmentIds);
  return new Map(rows.map(({ environment_id, ...owner }) => [environment_id, owner]));
}
