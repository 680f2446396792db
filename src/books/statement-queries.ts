import type { Reader, SqlRow } from '../db/database.ts';
import { addUp, readSum, type Sum } from '../lib/exact-sum.ts';
import { asText } from './balance-queries.ts';
import { type EntryKind, MERCHANT_PAYABLE } from './journal-entry.ts';

/** The amount that an entry `j` adds to the merchant's money. */
const SIGNED = `case when j.credit_account = '${MERCHANT_PAYABLE}' then j.amount else -j.amount end`;

const OF_MERCHANT = `'${MERCHANT_PAYABLE}' in (j.credit_account, j.debit_account)`;

export type AccountSums = {
  environment_id: number;
  currency: string;
  owed: Sum;
  reserved: Sum;
  in_process: Sum;
};

/**
 * Sums the accounts of the merchants of these environments: the money owed, the part that is reserved for refunds, and
 * the payments in process at a method (`pending` or `unknown`). One statement, so that all sums are of the same moment.
 * SQLite joins a `cross join` in the written order: it starts with the few waiting rows. It finds these by an index
 * only if the statement repeats the condition of the index, so it names all open states and excludes `started`.
 */
export async function selectAccountSums(db: Reader, environmentIds: readonly number[]): Promise<AccountSums[]> {
  const rows = await db.query<
    SqlRow & { environment_id: number; currency: string; owed: string; reserved: string; in_process: string }
  >(
    `select environment_id, currency, ${asText('sum(owed)')} as owed, ${asText('sum(reserved)')} as reserved,
       ${asText('sum(in_process)')} as in_process
     from (
       select environment_id, currency, credits - debits as owed, 0 as reserved, 0 as in_process
       from account_balances where environment_id {among $1} and account = '${MERCHANT_PAYABLE}'
       union all
       select t.environment_id, t.currency, 0, r.amount, 0 from refunds r cross join transactions t
       where r.state = 'processing' and r.environment_id {among $1} and t.id = r.transaction_id
         and t.environment_id = r.environment_id and t.environment_id {among $1}
       union all
       select t.environment_id, t.currency, 0, 0, t.amount from payment_attempts a cross join transactions t
       where a.state in ('started', 'pending', 'unknown') and a.state <> 'started' and a.environment_id {among $1} and t.id = a.transaction_id
         and t.environment_id = a.environment_id and t.environment_id {among $1}
     ) as parts group by environment_id, currency order by environment_id, currency`,
    [environmentIds],
  );
  return rows.map((row) => ({
    ...row,
    owed: readSum(row.owed),
    reserved: readSum(row.reserved),
    in_process: readSum(row.in_process),
  }));
}

/**
 * Sums the money that was owed to the merchants of these environments at a time, computed backwards from now. Leaves
 * out merchants that were owed nothing.
 */
export async function selectOwedAt(
  db: Reader,
  environmentIds: readonly number[],
  at: number,
): Promise<{ environment_id: number; currency: string; owed: Sum }[]> {
  const rows = await db.query<SqlRow & { environment_id: number; currency: string; owed: string }>(
    `select environment_id, currency, ${asText('sum(part)')} as owed from (
       select environment_id, currency, credits - debits as part from account_balances
       where environment_id {among $1} and account = '${MERCHANT_PAYABLE}'
       union all
       select j.environment_id, j.currency, -(${SIGNED}) from journal_entries j
       where j.environment_id {among $1} and j.created_at >= $2 and ${OF_MERCHANT}
     ) as parts group by environment_id, currency having sum(part) <> 0 order by environment_id, currency`,
    [environmentIds, at],
  );
  return rows.map((row) => ({ ...row, owed: readSum(row.owed) }));
}

/**
 * Reads the amounts owed to merchants at several moments (UTC milliseconds, ascending), in one pass over the entries.
 * Returns what `selectOwedAt` returns for each.
 */
export async function selectOwedAtEach(
  db: Reader,
  environmentIds: readonly number[],
  moments: readonly number[],
): Promise<{ environment_id: number; currency: string; owed: Sum }[][]> {
  const later = moments.slice(1).map((_, at) => `when j.created_at < $${at + 3} then ${at + 1}`);
  const period = later.length === 0 ? '1' : `case ${later.join(' ')} else ${moments.length} end`;
  const rows = await db.query<SqlRow & { environment_id: number; currency: string; period: number; part: string }>(
    `select environment_id, currency, period, ${asText('sum(part)')} as part from (
       select environment_id, currency, 0 as period, credits - debits as part from account_balances
       where environment_id {among $1} and account = '${MERCHANT_PAYABLE}'
       union all
       select j.environment_id, j.currency, ${period}, -(${SIGNED}) from journal_entries j
       where j.environment_id {among $1} and j.created_at >= $2 and ${OF_MERCHANT}
     ) as parts group by environment_id, currency, period order by environment_id, currency`,
    [environmentIds, ...moments],
  );
  const accounts = [...Map.groupBy(rows, (row) => `${row.environment_id} ${row.currency}`).values()];
  return moments.map((_, at) =>
    accounts.flatMap((parts) => {
      const { environment_id, currency } = parts[0] as (typeof rows)[number];
      const counted = parts.filter(({ period: one }) => one === 0 || one > at);
      const owed = addUp(counted.map(({ part }) => readSum(part)));
      return owed === 0 ? [] : [{ environment_id, currency, owed }];
    }),
  );
}

/** The account, the currency and the period of a statement: from when until before when (UTC milliseconds). */
export type StatementScope = { environmentId: number; currency: string; from: number; to: number };

export type PeriodSum = { kind: EntryKind | 'now' | 'after'; entries: number; amount: Sum };

/**
 * Reads the balance now, the sum after the period, and the sum of each kind of entry in the period, all of the same
 * moment.
 */
export async function selectPeriodSums(db: Reader, scope: StatementScope): Promise<PeriodSum[]> {
  const rows = await db.query<SqlRow & { kind: PeriodSum['kind']; entries: number; amount: string }>(
    `select 'now' as kind, 0 as entries, ${asText('coalesce(sum(credits - debits), 0)')} as amount
     from account_balances where environment_id = $1 and currency = $2 and account = '${MERCHANT_PAYABLE}'
     union all
     select 'after', count(*), ${asText(`coalesce(sum(${SIGNED}), 0)`)}
     from journal_entries j where j.environment_id = $1 and j.currency = $2 and j.created_at >= $4 and ${OF_MERCHANT}
     union all
     select j.kind, count(*), ${asText(`sum(${SIGNED})`)}
     from journal_entries j
     where j.environment_id = $1 and j.currency = $2 and j.created_at >= $3 and j.created_at < $4 and ${OF_MERCHANT}
     group by j.kind`,
    [scope.environmentId, scope.currency, scope.from, scope.to],
  );
  return rows.map((row) => ({ ...row, amount: readSum(row.amount) }));
}

export type StatementLine = {
  link: number;
  line: number;
  created_at: number;
  kind: EntryKind;
  /** In minor units; above 0 if the merchant gains. */
  amount: number;
  transaction_id: number | null;
  refund_id: string | null;
  payout_id: string | null;
  movement_id: string | null;
  /** The reference of the order or the payout, or the bank's reference of a movement. */
  reference: string | null;
};

export type StatementPlace = Pick<StatementLine, 'created_at' | 'link' | 'line'>;

const LINES = `select j.link, j.line, j.created_at, j.kind, ${SIGNED} as amount,
       j.transaction_id, j.refund_id, j.payout_id, j.movement_id, coalesce(t.reference, m.reference, p.reference) as reference
     from journal_entries j
     left join transactions t on t.id = j.transaction_id and t.environment_id = j.environment_id
     left join movements m on m.id = j.movement_id and m.environment_id = j.environment_id
     left join payouts p on p.id = j.payout_id and p.environment_id = j.environment_id
     where j.environment_id = $1 and j.currency = $2 and j.created_at >= $3 and j.created_at < $4 and ${OF_MERCHANT}`;

/**
 * Reads the next lines of a period in the order of time, after a place in it. The period begins at the place, because
 * SQLite finds its first line by the time alone.
 */
export function selectStatementLines(
  db: Reader,
  { environmentId, currency, from, to }: StatementScope,
  after: StatementPlace,
  limit: number,
): Promise<(SqlRow & StatementLine)[]> {
  return db.query<SqlRow & StatementLine>(
    `${LINES} and (j.created_at, j.link, j.line) > ($5, $6, $7) order by j.created_at, j.link, j.line limit $8`,
    [environmentId, currency, Math.max(from, after.created_at), to, after.created_at, after.link, after.line, limit],
  );
}

/**
 * Reads the newest lines of a period before a place in it, of one kind or of all kinds (empty). It ends at the place.
 */
export function selectNewestLines(
  db: Reader,
  { environmentId, currency, from, to }: StatementScope,
  { kind, before }: { kind: string; before: StatementPlace },
  limit: number,
): Promise<(SqlRow & StatementLine)[]> {
  const end = Math.min(to, before.created_at + 1);
  return db.query<SqlRow & StatementLine>(
    `${LINES} and (j.created_at, j.link, j.line) < ($5, $6, $7) and $8 in ('', j.kind)
     order by j.created_at desc, j.link desc, j.line desc limit $9`,
    [environmentId, currency, from, end, before.created_at, before.link, before.line, kind, limit],
  );
}
