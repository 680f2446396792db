import type { Tx } from '../db/database.ts';
import { factHash, type NewFact } from './book-fact.ts';
import { insertFact } from './fact-queries.ts';
import { advanceHead, updateHead } from './journal-queries.ts';

/**
 * Records a fact that the books depend on, as the next link of its environment's chain of facts, in the commit of the
 * change.
 *
 * The end of that chain is a row that all changes of one environment queue for. Lock it after all other rows and before
 * `postEntries`.
 */
export async function recordFact(
  tx: Tx,
  { environmentId, at, kind, subject, content, recordedBy }: NewFact,
): Promise<void> {
  const head = await advanceHead(tx, 'book_fact_heads', environmentId);
  const fact = {
    environment_id: environmentId,
    link: head.link,
    created_at: at,
    kind,
    subject,
    content: JSON.stringify(content),
    recorded_by: recordedBy,
  };
  const hash = factHash(head.hash, fact);
  await insertFact(tx, { ...fact, hash });
  await updateHead(tx, 'book_fact_heads', environmentId, hash);
}
