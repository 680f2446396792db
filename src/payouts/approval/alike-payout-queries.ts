import type { Reader } from '../../db/database.ts';
import { LIVE_STATES, PAYOUT_CURRENCY, type Payout } from '../payout.ts';

/** Within this time, a payout of the same amount to the same RUT may be a duplicate. */
export const ALIKE_MS = 30 * 86_400_000;

/** A payout with the same RUT and amount as another. */
export type AlikePayout = Pick<
  Payout,
  'id' | 'rut_hash' | 'amount' | 'currency' | 'reference' | 'state' | 'created_at'
>;

/**
 * Returns live payouts since `since` with the RUT, amount and currency of any of these payouts, and these payouts too.
 * Newest first, each once: thousands may be alike.
 */
export function selectAlike(
  db: Reader,
  environmentId: number,
  ids: readonly string[],
  since: number,
): Promise<AlikePayout[]> {
  return db.query(
    `with asked as materialized (select distinct rut_hash, amount, currency from payouts
       where {filter_by}environment_id = $1 and id {named $2})
     select o.id, o.rut_hash, o.amount, o.currency, o.reference, o.state, o.created_at from asked
     cross join payouts o where o.environment_id = $1 and o.rut_hash = asked.rut_hash and o.amount = asked.amount
       and o.currency = asked.currency and o.created_at >= $3
       and o.state {named $4} order by o.created_at desc, o.id`,
    [environmentId, ids, since, LIVE_STATES],
  );
}

/** Returns the RUTs and amounts of the live payouts since `since` to any of these RUTs. */
export function selectAmountsTo(
  db: Reader,
  environmentId: number,
  rutHashes: readonly string[],
  since: number,
): Promise<Pick<Payout, 'rut_hash' | 'amount'>[]> {
  return db.query(
    `select distinct rut_hash, amount from payouts
     where environment_id = $1 and rut_hash {named $2} and created_at >= $3 and currency = $4 and state {named $5}`,
    [environmentId, rutHashes, since, PAYOUT_CURRENCY, LIVE_STATES],
  );
}
