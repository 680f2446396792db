import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { consumeLimit } from '../limits/consume-limit.ts';
import { type Limit, limitKey, limitProblem } from '../limits/limit.ts';
import { deleteCount } from '../limits/limit-queries.ts';

/** Something that may be guessed only so often: `subject` is what the guesses are counted for. */
export type Guess = { limit: Limit; subject: string };

/**
 * Counts a guess before it is judged, or a burst on several replicas would all be tried. Throws `Problem` `RATE_LIMITED` where
 * there were too many.
 */
export async function countGuess(app: App, { limit, subject }: Guess): Promise<void> {
  const use = await consumeLimit(app, limit, subject);
  if (use.allowed) return;
  app.metrics.refused.inc({ reason: limit.name });
  throw limitProblem(limit, use);
}

/** Forgets the guesses once one was right. */
export async function forgetGuesses(app: App, tx: Tx, guesses: readonly Guess[]): Promise<void> {
  for (const { limit, subject } of guesses) await deleteCount(tx, limitKey(app, limit, subject));
}
