/** The key of a row in a table that is partitioned by environment: its id and its environment. */
export type RowKey<Id extends string | number> = { readonly id: Id; readonly environment_id: number };

/** Returns two lists for a statement about several rows: their ids and their environments. */
export function listsOf(rows: readonly RowKey<number>[]): [ids: number[], environmentIds: number[]] {
  return [[...new Set(rows.map(({ id }) => id))], [...new Set(rows.map(({ environment_id }) => environment_id))]];
}
