import type { Database, Tx } from '../db/database.ts';
import type { Environment } from './payment-service.ts';

type Reader = Pick<Database, 'query'>;

type SettingsRow = {
  environment_id: number;
  payment_method: string;
  account: string;
  sealed_key: string;
  created_at: number;
};

export async function selectMethodSettings(
  db: Reader,
  environmentId: number,
  method: string,
): Promise<Pick<SettingsRow, 'account' | 'sealed_key'> | null> {
  const [row] = await db.query<SettingsRow>(
    'select account, sealed_key from payment_method_settings where environment_id = $1 and payment_method = $2',
    [environmentId, method],
  );
  return row ?? null;
}

export async function upsertMethodSettings(tx: Tx, row: SettingsRow): Promise<void> {
  await tx.query(
    `insert into payment_method_settings (environment_id, payment_method, account, sealed_key, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (environment_id, payment_method)
     do update set account = excluded.account, sealed_key = excluded.sealed_key, created_at = excluded.created_at`,
    [row.environment_id, row.payment_method, row.account, row.sealed_key, row.created_at],
  );
}

export async function deleteMethodSettings(tx: Tx, environmentId: number, method: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from payment_method_settings where environment_id = $1 and payment_method = $2 returning account',
    [environmentId, method],
  );
  return rows.length > 0;
}

export type ListedSettings = {
  payment_service_id: string;
  name: string;
  environment: Environment;
  payment_method: string;
  account: string;
  created_at: number;
};

export function selectListedSettings(db: Reader): Promise<ListedSettings[]> {
  return db.query<ListedSettings>(
    `select e.payment_service_id, p.name, e.environment, m.payment_method, m.account, m.created_at
     from payment_method_settings m
     join environments e on e.id = m.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by p.created_at, p.id, e.environment, m.payment_method`,
  );
}
