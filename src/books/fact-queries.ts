import type { InsertTarget, Reader, Tx } from '../db/database.ts';
import type { BookFact } from './book-fact.ts';

const BOOK_FACTS: InsertTarget = {
  name: 'book_facts',
  columns: ['environment_id', 'link', 'created_at', 'kind', 'subject', 'content', 'recorded_by', 'hash'],
};

export async function insertFact(tx: Tx, fact: BookFact): Promise<void> {
  await tx.insertRows(BOOK_FACTS, [fact]);
}

/** Lists the facts of an environment after a link, in the order of their chain. */
export function selectFactsAfter(db: Reader, environmentId: number, link: number, limit: number): Promise<BookFact[]> {
  return db.query<BookFact>('select * from book_facts where environment_id = $1 and link > $2 order by link limit $3', [
    environmentId,
    link,
    limit,
  ]);
}

/** Lists every environment that has facts or a head of their chain, so also one that has lost either. */
export async function selectEnvironmentsWithFacts(db: Reader): Promise<number[]> {
  const rows = await db.query<{ environment_id: number }>(
    `select environment_id from book_fact_heads union select distinct environment_id from book_facts
     order by environment_id`,
  );
  return rows.map((row) => row.environment_id);
}

/** Records when facts began; returns false if it was recorded before. A concurrent process waits for this commit. */
export async function insertFactsBegun(tx: Tx, at: number): Promise<boolean> {
  const rows = await tx.query(
    'insert into book_facts_begun (id, begun_at) values (1, $1) on conflict (id) do nothing returning id',
    [at],
  );
  return rows.length === 1;
}

/** Returns when facts began, in UTC milliseconds; null: the store has none yet. */
export async function selectFactsBegun(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ begun_at: number }>('select begun_at from book_facts_begun');
  return row?.begun_at ?? null;
}
