import type { InsertTarget, Reader, SqlRow, Tx } from '../db/database.ts';
import { readSum, type Sum } from '../lib/exact-sum.ts';
import { MERCHANT_PAYABLE } from './journal-entry.ts';

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

/**
 * Lists every account of every payment service, environment and currency, in minor units. In each currency the debits
 * equal the credits, because an entry is one of each.
 */
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
  db: Reader,
  { environmentId, account, currency }: { environmentId: number; account: string; currency: string },
): Promise<Sum> {
  const [row] = await db.query<{ balance: string }>(
    `select ${asText('debits - credits')} as balance from account_balances
     where environment_id = $1 and account = $2 and currency = $3`,
    [environmentId, account, currency],
  );
  return readSum(row?.balance ?? '0');
}

/**
 * A stored sum. `garbled`: it is not an integer, which SQLite does not refuse. `head`: the last link that it includes.
 */
export type StoredSum = SqlRow & {
  head: number | null;
  account: string | null;
  currency: string;
  debits: string;
  credits: string;
  garbled: 0 | 1;
};

/**
 * Lists the stored sums of an environment with the end of its books, in one statement and so at one moment. Without a
 * sum one row has only the end.
 */
export function selectStoredSums(db: Reader, environmentId: number): Promise<StoredSum[]> {
  const isNoNumber = (sum: string) => `cast(cast(${sum} as bigint) as text) <> cast(${sum} as text)`;
  return db.query<StoredSum>(
    `select h.link as head, b.account, b.currency, ${asText('b.debits')} as debits, ${asText('b.credits')} as credits,
       case when ${isNoNumber('b.debits')} or ${isNoNumber('b.credits')} then 1 else 0 end as garbled
     from (select cast($1 as bigint) as id) e left join journal_heads h on h.environment_id = e.id
     left join account_balances b on b.environment_id = e.id order by b.account, b.currency`,
    [environmentId],
  );
}

/** Lists the environments that have a stored sum. */
export async function selectSummedEnvironments(db: Reader): Promise<number[]> {
  const sql = 'select distinct environment_id from account_balances order by environment_id';
  return (await db.query<{ environment_id: number }>(sql)).map(({ environment_id }) => environment_id);
}

/** Links of an environment's books: after one, up to another. */
export type LinkSpan = { environmentId: number; after: number; until: number };

/** Returns the last of the next entries' links; null: there are no more entries. */
export async function selectLinkOfPage(
  db: Reader,
  { environmentId, after, until }: LinkSpan,
  entries: number,
): Promise<number | null> {
  const [row] = await db.query<{ last: number | null }>(
    `select max(link) as last from (select link from journal_entries
       where environment_id = $1 and link > $2 and link <= $3 order by link limit $4) as page`,
    [environmentId, after, until, entries],
  );
  return row?.last ?? null;
}

/** Sums the entries of these links for each account. */
export function selectSumsOfLinks(
  db: Reader,
  { environmentId, after, until }: LinkSpan,
): Promise<{ account: string; currency: string; debits: string; credits: string }[]> {
  const page = 'from journal_entries where environment_id = $1 and link > $2 and link <= $3';
  return db.query(
    `select account, currency, ${asText('sum(debits)')} as debits, ${asText('sum(credits)')} as credits
     from (select debit_account as account, currency, amount as debits, 0 as credits ${page}
       union all select credit_account, currency, 0, amount ${page}) as sides group by account, currency`,
    [environmentId, after, until],
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
