import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { Fee } from './fee.ts';
import type { Environment } from './payment-service.ts';

/** Returns the fee of a payment method in one currency; null: none is set. */
export async function selectFee(
  tx: Tx,
  environmentId: number,
  method: string,
  currency: string,
): Promise<(SqlRow & Fee) | null> {
  const [row] = await tx.query<SqlRow & Fee>(
    'select rate_ppm, fixed from fees where environment_id = $1 and payment_method = $2 and currency = $3',
    [environmentId, method, currency],
  );
  return row ?? null;
}

type FeeRow = Fee & { environment_id: number; payment_method: string; currency: string; created_at: number };

export async function upsertFee(tx: Tx, row: FeeRow): Promise<void> {
  await tx.query(
    `insert into fees (environment_id, payment_method, currency, rate_ppm, fixed, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (environment_id, payment_method, currency)
     do update set rate_ppm = excluded.rate_ppm, fixed = excluded.fixed, created_at = excluded.created_at`,
    [row.environment_id, row.payment_method, row.currency, row.rate_ppm, row.fixed, row.created_at],
  );
}

export type ListedFee = SqlRow &
  Fee & {
    payment_service_id: string;
    name: string;
    environment: Environment;
    payment_method: string;
    currency: string;
    created_at: number;
  };

export function selectFees(db: Reader): Promise<ListedFee[]> {
  return db.query<ListedFee>(
    `select e.payment_service_id, p.name, e.environment, f.payment_method, f.currency, f.rate_ppm, f.fixed, f.created_at
     from fees f
     join environments e on e.id = f.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by p.created_at, p.id, e.environment, f.payment_method, f.currency`,
  );
}
