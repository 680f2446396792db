import type { App } from '../app.ts';
import type { RowKey } from '../db/row-key.ts';
import { type Owner, selectEntries, selectEntriesOf, selectOwners } from './journal-queries.ts';

/**
 * Lists the newest entries of one transaction (null: of all), with the names of their payment service and environment.
 */
export function listEntries(app: App, transaction: RowKey<number> | null, limit: number) {
  return transaction === null ? selectEntries(app.db, limit) : selectEntriesOf(app.db, transaction, limit);
}

/** Lists the owners of the books of these environments, by the id of the environment. */
export async function listOwners(app: App, environmentIds: readonly number[]): Promise<Map<number, Owner>> {
  const rows = await selectOwners(app.db, environmentIds);
  return new Map(rows.map(({ environment_id, ...owner }) => [environment_id, owner]));
}
