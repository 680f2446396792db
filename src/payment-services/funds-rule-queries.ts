import type { Reader, Tx } from '../db/database.ts';

/**
 * The rule for a merchant's money in one currency, in minor units. `kept_back`: the amount that payouts leave, so that
 * refunds stay covered. `overdraft`: how far refunds may exceed the merchant's money.
 */
export type FundsRule = { kept_back: number; overdraft: number };

export async function selectFundsRule(db: Reader, environmentId: number, currency: string): Promise<FundsRule> {
  const [row] = await db.query<FundsRule>(
    'select kept_back, overdraft from funds_rules where environment_id = $1 and currency = $2',
    [environmentId, currency],
  );
  return row ?? { kept_back: 0, overdraft: 0 };
}

/** Lists the amounts that payouts leave, by environment and currency. */
export function selectKeptBack(
  db: Reader,
  environmentIds: readonly number[],
): Promise<{ environment_id: number; currency: string; kept_back: number }[]> {
  return db.query('select environment_id, currency, kept_back from funds_rules where environment_id {among $1}', [
    environmentIds,
  ]);
}

export async function upsertFundsRule(
  tx: Tx,
  place: { environmentId: number; currency: string; at: number; by: string },
  { kept_back, overdraft }: FundsRule,
): Promise<void> {
  await tx.query(
    `insert into funds_rules (environment_id, currency, kept_back, overdraft, set_at, set_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (environment_id, currency) do update set kept_back = excluded.kept_back, overdraft = excluded.overdraft,
       set_at = excluded.set_at, set_by = excluded.set_by`,
    [place.environmentId, place.currency, kept_back, overdraft, place.at, place.by],
  );
}
