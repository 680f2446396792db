import type { InsertTarget, Reader, SqlParameter, SqlRow, Tx } from '../db/database.ts';
import { afterPlace, type NewestPage } from '../db/newest-page.ts';
import type { PayoutState } from './payout.ts';

/** A row of `payout_batches`: payouts that are approved and sent together. */
export type PayoutBatch = SqlRow & {
  id: string;
  environment_id: number;
  name: string;
  created_at: number;
  proposed_by: string;
  proposed_by_id: string;
  file_sha256: string | null;
};

const PAYOUT_BATCHES: InsertTarget = {
  name: 'payout_batches',
  columns: ['id', 'environment_id', 'name', 'created_at', 'proposed_by', 'proposed_by_id', 'file_sha256'],
};

/** Inserts a batch. Returns false if its file already has a batch. */
export async function insertBatch(tx: Tx, batch: PayoutBatch): Promise<boolean> {
  const suffix = 'on conflict (environment_id, file_sha256) do nothing returning id';
  return (await tx.insertRows(PAYOUT_BATCHES, [batch], suffix)).length === 1;
}

export async function selectBatchOfFile(db: Reader, environmentId: number, hash: string): Promise<PayoutBatch | null> {
  const sql = 'select * from payout_batches where environment_id = $1 and file_sha256 = $2';
  const [row] = await db.query<PayoutBatch>(sql, [environmentId, hash]);
  return row ?? null;
}

export async function selectBatchAnywhere(db: Reader, id: string): Promise<PayoutBatch | null> {
  const [row] = await db.query<PayoutBatch>('select * from payout_batches where id = $1', [id]);
  return row ?? null;
}

/** The count and amount of the payouts of a batch in one state. */
export type BatchSum = { batch_id: string; state: PayoutState; currency: string; count: number; amount: number };

export function sumBatches(db: Reader, environmentId: number, ids: readonly string[]): Promise<BatchSum[]> {
  return db.query(
    `select batch_id, state, currency, count(*) as count, cast(sum(amount) as bigint) as amount from payouts
     where environment_id = $1 and batch_id {named $2} group by {filter_by}batch_id, state, currency order by state`,
    [environmentId, ids],
  );
}

/** Returns the newest batches of these environments. `state`: only those with a payout in this state; empty: all. */
export function selectBatches(
  db: Reader,
  environmentIds: readonly number[],
  state: string,
  { after = null, limit }: NewestPage,
): Promise<PayoutBatch[]> {
  const parameters: SqlParameter[] = [environmentIds, limit, ...(state === '' ? [] : [state])];
  const inState = `and exists (select 1 from payouts p
    where p.environment_id = payout_batches.environment_id and p.state = $3 and p.batch_id = payout_batches.id)`;
  return db.query<PayoutBatch>(
    `select * from payout_batches where environment_id {among $1} ${state === '' ? '' : inState}
       ${afterPlace(after, parameters)} order by created_at desc, id limit $2`,
    parameters,
  );
}
