import type { Reader, Tx } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import type { Payout } from './payout.ts';
import type { PayoutOwner } from './transition-payouts.ts';

/**
 * Returns at most three of these environments; null: of all. Three rows belong to at least two payment services, which
 * is already ambiguous.
 */
export function selectOwnedEnvironments(
  db: Reader,
  environmentIds: readonly number[] | null,
): Promise<{ id: number; payment_service_id: string; environment: Environment }[]> {
  return db.query(
    `select id, payment_service_id, environment from environments
     where $1 = 1 or id {among $2} order by id limit 3`,
    [environmentIds === null ? 1 : 0, environmentIds ?? []],
  );
}

/**
 * Returns the owner of the payouts of an environment; null: no such environment. For a transaction: one that waited for
 * a second connection, as `findEnvironmentById` may, could wait for those that wait for its own locks.
 */
export async function selectPayoutOwner(tx: Tx, environmentId: number): Promise<PayoutOwner | null> {
  const [row] = await selectOwnedEnvironments(tx, [environmentId]);
  return row === undefined
    ? null
    : { id: row.id, paymentServiceId: row.payment_service_id, environment: row.environment };
}

export async function selectAllEnvironmentIds(db: Reader): Promise<number[]> {
  const rows = await db.query<{ id: number }>('select id from environments order by id');
  return rows.map(({ id }) => id);
}

/** Returns the payouts with this id of a client, in the environments that a user sees: at first the one in `first`. */
export function selectByReference(
  db: Reader,
  environmentIds: readonly number[],
  reference: string,
  first: Environment,
): Promise<(Payout & { payment_service_id: string })[]> {
  return db.query<Payout & { payment_service_id: string }>(
    `select p.*, e.payment_service_id from payouts p join environments e on e.id = p.environment_id
     where p.environment_id {among $1} and p.reference = $2
     order by case when e.environment = $3 then 0 else 1 end, p.environment_id`,
    [environmentIds, reference, first],
  );
}
