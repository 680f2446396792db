import type { Database, InsertTarget, SqlRow, Tx } from '../db/database.ts';
import { readSum, type Sum } from '../lib/exact-sum.ts';
import { MERCHANT_PAYABLE } from './journal-entry.ts';

type Reader = Pick<Database, 'query'>;

const ACCOUNT_BALANCES: InsertTarget = {
  name: 'account_balances',
  columns: ['environment_id', 'account', 'currency', 'debits', 'credits'],
};

type AccountRow = SqlRow & {
  environment_id: number;
  account: string;
  currency: string;
  debits: number;
  credits: number;
};

/** Adds to the sums of accounts. `rows` names each account once. The caller holds the lock on the end of the chain. */
export async function addToBalances(tx: Tx, rows: readonly AccountRow[]): Promise<void> {
  await tx.insertRows(
    ACCOUNT_BALANCES,
    rows,
    `on conflict (environment_id, account, currency) do update
     set debits = account_balances.debits + excluded.debits, credits = account_balances.credits + excluded.credits`,
  );
}

export type BalanceRow = {
  environment_id: number;
  account: string;
  currency: string;
  payment_service_id: string;
  name: string;
  environment: string;
  debits: Sum;
  credits: Sum;
};

/**
 * Casts a sum in minor units to the text that `readSum` reads. In SQLite, text that is not an integer becomes the
 * digits at its start.
 */
export const asText = (sum: string) => `cast(cast(${sum} as bigint) as text)`;

/** Sums the debits and credits of every account, in minor units. */
export async function selectBalances(db: Reader): Promise<BalanceRow[]> {
  const rows = await db.query<Omit<BalanceRow, 'debits' | 'credits'> & { debits: string; credits: string }>(
    `select b.environment_id, e.payment_service_id, p.name, e.environment, b.currency, b.account,
       ${asText('b.debits')} as debits, ${asText('b.credits')} as credits
     from account_balances b
     join environments e on e.id = b.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by p.created_at, b.environment_id, b.currency, b.account`,
  );
  return rows.map((row) => ({ ...row, debits: readSum(row.debits), credits: readSum(row.credits) }));
}

/** Returns the debits of an account minus its credits, in minor units. */
export async function selectBalance(
  tx: Reader,
  { environmentId, account, currency }: { environmentId: number; account: string; currency: string },
): Promise<Sum> {
  const [row] = await tx.query<{ balance: string }>(
    `select ${asText('debits - credits')} as balance from account_balances
     where environment_id = $1 and account = $2 and currency = $3`,
    [environmentId, account, currency],
  );
  return readSum(row?.balance ?? '0');
}

/**
 * Lists the accounts whose sums differ from the sums of their entries, or that have no entry. One statement, so that
 * all rows are of the same moment. SQLite casts any text to an integer by the digits at its start, so the query also
 * checks that each sum is an integer.
 */
export function selectWrongBalances(
  db: Reader,
): Promise<Pick<AccountRow, 'environment_id' | 'account' | 'currency'>[]> {
  const isNoNumber = (sum: string) => `cast(cast(${sum} as bigint) as text) <> cast(${sum} as text)`;
  return db.query(
    `select environment_id, account, currency from (
       select environment_id, account, currency, debits, credits, 0 as entries,
         case when ${isNoNumber('debits')} or ${isNoNumber('credits')} then 1 else 0 end as garbled
       from account_balances
       union all
       select environment_id, debit_account, currency, -amount, 0, 1, 0 from journal_entries
       union all
       select environment_id, credit_account, currency, 0, -amount, 1, 0 from journal_entries
     ) as sides
     group by environment_id, account, currency
     having sum(debits) <> 0 or sum(credits) <> 0 or sum(entries) = 0 or sum(garbled) > 0
     order by environment_id, account, currency`,
  );
}

/**
 * Sums the amount owed to the merchants of these environments, less fees and refunds in process. SQLite joins a
 * `cross join` in the written order: it starts with the few refunds in process, not with all transactions of a
 * merchant.
 */
export async function selectAvailable(db: Reader, environmentIds: readonly number[], currency: string): Promise<Sum> {
  const [row] = await db.query<{ available: string }>(
    `select ${asText('owed - reserved')} as available from (
       select
         (select coalesce(sum(credits - debits), 0) from account_balances
          where environment_id {among $1} and currency = $2 and account = $3) as owed,
         (select coalesce(sum(r.amount), 0) from refunds r cross join transactions t
          where r.state = 'processing' and r.environment_id {among $1} and t.id = r.transaction_id
            and t.environment_id = r.environment_id and t.environment_id {among $1} and t.currency = $2) as reserved
     ) as sums`,
    [environmentIds, currency, MERCHANT_PAYABLE],
  );
  return readSum(row?.available ?? '0');
}

/**
 * Sums the merchant's part of one transaction: the amount paid, less its fee, its refunds and the refunds in process.
 */
export async function selectAvailableOf(
  db: Reader,
  transactionId: number,
  environmentIds: readonly number[],
  currency: string,
): Promise<Sum> {
  const [row] = await db.query<{ available: string }>(
    `select cast(cast(
       (select coalesce(sum(case when credit_account = $3 then amount else -amount end), 0) from journal_entries
        where transaction_id = $1 and environment_id {among $4} and currency = $2 and $3 in (credit_account, debit_account))
       -
       (select coalesce(sum(r.amount), 0) from refunds r
          join transactions t on t.id = r.transaction_id and t.environment_id = r.environment_id
        where r.state = 'processing' and t.id = $1 and r.environment_id {among $4} and t.environment_id {among $4} and t.currency = $2)
       as bigint) as text) as available`,
    [transactionId, currency, MERCHANT_PAYABLE, environmentIds],
  );
  return readSum(row?.available ?? '0');
}
