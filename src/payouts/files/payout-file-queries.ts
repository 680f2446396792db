import type { InsertTarget, Reader, SqlParameter, SqlRow, Tx } from '../../db/database.ts';
import { afterPlace, type NewestPage } from '../../db/newest-page.ts';
import type { AccountType } from '../../payout-senders/payout-sender.ts';
import { PAYOUT_STATES, type Payout, type PayoutState } from '../payout.ts';
import { OPEN } from '../payout-queries.ts';

/** A row of `payout_files` without its content: a file for a bank. */
export type ListedPayoutFile = SqlRow & {
  id: string;
  environment_id: number;
  format: string;
  name: string;
  created_at: number;
  made_by: string;
  payouts: number;
  total: number;
  sha256: string;
};

/** A row of `payout_files` with its sealed content. */
export type PayoutFile = ListedPayoutFile & { sealed_content: string };

const PAYOUT_FILES: InsertTarget = {
  name: 'payout_files',
  columns: [
    'id',
    'environment_id',
    'format',
    'name',
    'created_at',
    'made_by',
    'payouts',
    'total',
    'sha256',
    'sealed_content',
  ],
};

export async function insertPayoutFile(tx: Tx, file: PayoutFile): Promise<void> {
  await tx.insertRows(PAYOUT_FILES, [file]);
}

export async function selectPayoutFile(db: Reader, id: string): Promise<PayoutFile | null> {
  const [row] = await db.query<PayoutFile>('select * from payout_files where id = $1', [id]);
  return row ?? null;
}

/**
 * Returns the newest files of these environments, without their content. `state`: only those with a payout in this
 * state; empty: all.
 */
export function selectPayoutFiles(
  db: Reader,
  environmentIds: readonly number[],
  state: string,
  { after = null, limit }: NewestPage,
): Promise<ListedPayoutFile[]> {
  const parameters: SqlParameter[] = [environmentIds, limit, ...(state === '' ? [] : [state])];
  const inState = `and exists (select 1 from payouts p
    where p.environment_id = payout_files.environment_id and p.state = $3 and p.file_id = payout_files.id)`;
  return db.query(
    `select id, environment_id, format, name, created_at, made_by, payouts, total, sha256 from payout_files
     where environment_id {among $1} ${state === '' ? '' : inState}
       ${afterPlace(after, parameters)} order by created_at desc, id limit $2`,
    parameters,
  );
}

/** Returns the files that contain payouts of a batch. */
export function selectFilesOfBatch(db: Reader, environmentId: number, batchId: string): Promise<ListedPayoutFile[]> {
  return db.query(
    `select id, environment_id, format, name, created_at, made_by, payouts, total, sha256 from payout_files
     where environment_id = $1 and id in (select file_id from payouts where environment_id = $1 and batch_id = $2)
     order by created_at, id`,
    [environmentId, batchId],
  );
}

/** The number of payouts of a file in one state. */
export type FileSum = { file_id: string; state: PayoutState; count: number };

/** Counts the payouts of files by their state. Names every state, because SQLite then finds them by one index. */
export function sumFiles(db: Reader, environmentId: number, ids: readonly string[]): Promise<FileSum[]> {
  return db.query(
    `select file_id, state, count(*) as count from payouts
     where environment_id = $1 and file_id {named $2} and state {named $3} group by file_id, state order by state`,
    [environmentId, ids, Object.keys(PAYOUT_STATES)],
  );
}

/** Sums the approved payouts of these environments that have not left. */
export function sumApprovedOf(
  db: Reader,
  environmentIds: readonly number[],
): Promise<{ environment_id: number; count: number; amount: number }[]> {
  return db.query(
    `select environment_id, count(*) as count, cast(sum(amount) as bigint) as amount from payouts
     where environment_id {among $1} and state = 'approved' and ${OPEN} group by environment_id order by environment_id`,
    [environmentIds],
  );
}

/** Returns the types of the payouts' accounts by `account_hash`; omits accounts whose type nobody has set. */
export async function selectAccountTypes(
  db: Reader,
  environmentId: number,
  payouts: readonly Pick<Payout, 'account_hash'>[],
): Promise<Map<string, AccountType>> {
  const rows = await db.query<{ account_hash: string; account_type: AccountType }>(
    'select account_hash, account_type from payout_account_types where environment_id = $1 and account_hash {named $2}',
    [environmentId, [...new Set(payouts.map(({ account_hash }) => account_hash))]],
  );
  return new Map(rows.map(({ account_hash, account_type }) => [account_hash, account_type]));
}

export async function upsertAccountType(
  tx: Tx,
  said: { environmentId: number; accountHash: string; type: AccountType; at: number; by: string },
): Promise<void> {
  await tx.query(
    `insert into payout_account_types (environment_id, account_hash, account_type, set_at, set_by)
     values ($1, $2, $3, $4, $5)
     on conflict (environment_id, account_hash) do update
     set account_type = excluded.account_type, set_at = excluded.set_at, set_by = excluded.set_by`,
    [said.environmentId, said.accountHash, said.type, said.at, said.by],
  );
}

/** Returns those accounts of the payouts to which an approved payout has not left. */
export async function selectApprovedAccounts(
  tx: Tx,
  environmentId: number,
  payouts: readonly Pick<Payout, 'account_hash'>[],
): Promise<Set<string>> {
  const rows = await tx.query<{ account_hash: string }>(
    `select account_hash from payouts
     where environment_id = $1 and state = 'approved' and ${OPEN} and account_hash {named $2}`,
    [environmentId, [...new Set(payouts.map(({ account_hash }) => account_hash))]],
  );
  return new Set(rows.map(({ account_hash }) => account_hash));
}

/** Locks and returns the approved payouts to an account that have not left. */
export function lockApprovedTo(tx: Tx, environmentId: number, accountHash: string): Promise<Payout[]> {
  return tx.query<Payout>(
    `select * from payouts where environment_id = $1 and state = 'approved' and ${OPEN} and account_hash = $2
     order by {filter_by}created_at, id {bytewise} {for_update}`,
    [environmentId, accountHash],
  );
}
