import type { App } from '../../app.ts';
import type { Tx } from '../../db/database.ts';
import { consumeLimit } from '../../limits/consume-limit.ts';
import { type Limit, limitKey, limitProblem } from '../../limits/limit.ts';
import { deleteCount } from '../../limits/limit-queries.ts';

/** A limited guess; `subject` is the key under which guesses are counted. */
export type Guess = { limit: Limit; subject: string };

/**
 * Counts a guess before it is checked, so that a burst on several replicas cannot exceed the limit. Throws `Problem`
 * `RATE_LIMITED` after too many.
 */
export async function countGuess(app: App, { limit, subject }: Guess): Promise<void> {
  const use = await consumeLimit(app, limit, subject);
  if (use.allowed) return;
  app.metrics.refused.inc({ reason: limit.name });
  throw limitProblem(limit, use);
}

/** Deletes the counts after a right guess. */
export async function forgetGuesses(app: App, tx: Tx, guesses: readonly Guess[]): Promise<void> {
  for (const { limit, subject } of guesses) await deleteCount(tx, limitKey(app, limit, subject));
}
