import type { App } from '../app.ts';
import { recallAttempts } from '../checkout/payment-attempt-queries.ts';
import { recallPayouts } from '../payouts/due-payout-queries.ts';
import { recallRefunds } from '../refunds/refund-queries.ts';

/** The worker plans the next question about something without an end at most an hour ahead; its claims are shorter. */
const FURTHEST_MS = 2 * 60 * 60_000;

/**
 * Makes payments, refunds and payouts without an end due now if their next question is further away than the worker
 * plans: the clock was ahead then, and has been corrected. They would wait for the whole difference.
 */
export async function recallLookUps(app: App): Promise<void> {
  const now = app.now();
  for (const recall of [recallAttempts, recallRefunds, recallPayouts])
    await app.db.transaction((tx) => recall(tx, { now, furthest: now + FURTHEST_MS }));
}
