import type { Reader, Tx } from '../db/database.ts';
import type { Environment } from './payment-service.ts';

type AccountRow = {
  environment_id: number;
  payment_method: string;
  account: string;
  sealed_key: string;
  created_at: number;
};

/** Returns the account with which a payment method collects now, or null. */
export async function selectAccountInUse(db: Reader, environmentId: number, method: string): Promise<string | null> {
  const [row] = await db.query<AccountRow>(
    `select account from payment_method_accounts
     where environment_id = $1 and payment_method = $2 and retired_at is null`,
    [environmentId, method],
  );
  return row?.account ?? null;
}

/** Returns the encrypted key of an account, also of a retired one; null if there never was such an account. */
export async function selectSealedKey(
  db: Reader,
  environmentId: number,
  method: string,
  account: string,
): Promise<string | null> {
  const [row] = await db.query<AccountRow>(
    `select sealed_key from payment_method_accounts
     where environment_id = $1 and payment_method = $2 and account = $3`,
    [environmentId, method, account],
  );
  return row?.sealed_key ?? null;
}

/** Inserts an account; an existing one gets the new key and collects again. */
export async function upsertAccount(tx: Tx, row: AccountRow): Promise<void> {
  await tx.query(
    `insert into payment_method_accounts (environment_id, payment_method, account, sealed_key, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (environment_id, payment_method, account)
     do update set sealed_key = excluded.sealed_key, created_at = excluded.created_at, retired_at = null`,
    [row.environment_id, row.payment_method, row.account, row.sealed_key, row.created_at],
  );
}

/** Retires the account in use, so that it collects nothing new. Returns false if none was in use. */
export async function retireAccount(
  tx: Tx,
  environmentId: number,
  method: string,
  retiredAt: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update payment_method_accounts set retired_at = $3
     where environment_id = $1 and payment_method = $2 and retired_at is null returning account`,
    [environmentId, method, retiredAt],
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
  /** When it was retired, in UTC milliseconds; null: it collects. */
  retired_at: number | null;
};

/** Lists the accounts; in each payment method the account in use comes before the retired ones. */
export function selectListedSettings(db: Reader): Promise<ListedSettings[]> {
  return db.query<ListedSettings>(
    `select e.payment_service_id, p.name, e.environment, m.payment_method, m.account, m.created_at, m.retired_at
     from payment_method_accounts m
     join environments e on e.id = m.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by p.created_at, p.id, e.environment, m.payment_method,
       case when m.retired_at is null then 0 else 1 end, m.retired_at desc, m.account`,
  );
}
