import type { Tx } from '../../db/database.ts';

export type BudgetRow = { bucket: string; tokens: number; refilled_at: number };

/** Reads and locks a bucket until the commit; inserts a full one if it is missing. */
export async function lockBudget(tx: Tx, full: BudgetRow): Promise<BudgetRow> {
  const [row] = await tx.query<BudgetRow>(
    `insert into provider_budgets (bucket, tokens, refilled_at) values ($1, $2, $3)
     on conflict (bucket) do update set tokens = provider_budgets.tokens returning bucket, tokens, refilled_at`,
    [full.bucket, full.tokens, full.refilled_at],
  );
  return row as BudgetRow;
}

export async function updateBudget(tx: Tx, row: BudgetRow): Promise<void> {
  await tx.query('update provider_budgets set tokens = $2, refilled_at = $3 where bucket = $1', [
    row.bucket,
    row.tokens,
    row.refilled_at,
  ]);
}

/** Adds tokens back, up to the capacity. */
export async function refundBudget(tx: Tx, bucket: string, tokens: number, capacity: number): Promise<void> {
  await tx.query(
    `update provider_budgets set tokens = case when tokens + $2 > $3 then $3 else tokens + $2 end where bucket = $1`,
    [bucket, tokens, capacity],
  );
}

/** Deletes the buckets from which nothing was taken since `time`. */
export async function deleteBudgetsBefore(tx: Tx, time: number): Promise<void> {
  await tx.query('delete from provider_budgets where refilled_at < $1', [time]);
}

/** Records that this actor asked about this RUT today. Returns the number of different RUTs so far today. */
export async function countQuestionedRuts(tx: Tx, actor: string, day: number, rutHash: string): Promise<number> {
  await tx.query(
    'insert into provider_questions (actor, day, rut_hash) values ($1, $2, $3) on conflict (actor, day, rut_hash) do nothing',
    [actor, day, rutHash],
  );
  const [row] = await tx.query<{ ruts: number }>(
    'select count(*) as ruts from provider_questions where actor = $1 and day = $2',
    [actor, day],
  );
  return (row as { ruts: number }).ruts;
}

/** Counts a refusal, in one row per actor and day. Returns true for the first one of the day. */
export async function countRefusal(tx: Tx, actor: string, day: number, now: number): Promise<boolean> {
  const [row] = await tx.query<{ refusals: number }>(
    `insert into provider_refusals (actor, day, first_at, refusals) values ($1, $2, $3, 1)
     on conflict (actor, day) do update set refusals = provider_refusals.refusals + 1 returning refusals`,
    [actor, day, now],
  );
  return row?.refusals === 1;
}

/** Deletes the records of earlier days: questions, and refusals. */
export async function deleteQuestionsBefore(tx: Tx, day: number): Promise<void> {
  await tx.query('delete from provider_questions where day < $1', [day]);
  await tx.query('delete from provider_refusals where day < $1', [day]);
}

/** Deletes the records of questions to providers about a RUT. */
export async function deleteQuestionsOfRut(tx: Tx, rutHash: string, bucket: string): Promise<void> {
  await tx.query('delete from provider_questions where rut_hash = $1', [rutHash]);
  await tx.query('delete from provider_budgets where bucket = $1', [bucket]);
}
