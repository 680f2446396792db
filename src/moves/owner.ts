import type { SqlParameter } from '../db/database.ts';

/** The column that links a row to an environment or a payment service, directly or through a row of another table. */
export type Owner = { readonly column: string; readonly of?: string };

export const AMONG_ENVIRONMENTS: Owner = { column: 'environment_id' };

/** The payment service whose rows are selected. */
export type Scope = { readonly paymentServiceId: string; readonly environmentIds: readonly number[] };

/** Returns a condition on the rows of a scope. Its parameter is `$1`. */
export function ownedBy(scope: Scope, { column, of }: Owner): { sql: string; parameter: SqlParameter } {
  if (column === AMONG_ENVIRONMENTS.column) return { sql: `${column} {among $1}`, parameter: scope.environmentIds };
  const parameter = [scope.paymentServiceId];
  if (of === undefined) return { sql: `${column} {named $1}`, parameter };
  return { sql: `${column} in (select id from ${of} where payment_service_id {named $1})`, parameter };
}
