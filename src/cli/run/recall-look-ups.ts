import type { App } from '../../app.ts';
import { recallValidations } from '../../bank-validation/bank-validation-queries.ts';
import { recallAttempts } from '../../checkout/payment-attempt-queries.ts';
import type { Tx } from '../../db/database.ts';
import type { Recall } from '../../lib/recall.ts';
import { recallMails } from '../../mail/mail-queries.ts';
import { recallListeners } from '../../outbox/listeners/callback-listener-queries.ts';
import { recallCallbacks } from '../../outbox/outbox-queries.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { recallPayouts } from '../../payouts/due-payout-queries.ts';
import { recallRefunds } from '../../refunds/refund-queries.ts';

const HOUR_MS = 60 * 60_000;

/** How far ahead the worker plans at most, with a margin: an hour for questions, a day and its jitter for retries. */
const RECALLS: readonly [recall: (tx: Tx, times: Recall) => Promise<void>, furthestMs: number][] = [
  [recallAttempts, 2 * HOUR_MS],
  [recallRefunds, 2 * HOUR_MS],
  [recallPayouts, 2 * HOUR_MS],
  [recallValidations, 2 * HOUR_MS],
  [recallListeners, 2 * HOUR_MS],
  [recallCallbacks, 30 * HOUR_MS],
  [recallMails, 30 * HOUR_MS],
];

/**
 * Makes payments, refunds, payouts, validations, callbacks and mails without an end due now if their next question or
 * attempt is further away than the worker plans: the clock was ahead then, and has been corrected. They would wait for
 * the whole difference. Skips the environments that another database serves: there they are due, and here never.
 */
export async function recallLookUps(app: App): Promise<void> {
  const now = app.now();
  const elsewhere = [...(await findElsewhere(app)).environments];
  for (const [recall, furthestMs] of RECALLS)
    await app.db.transaction((tx) => recall(tx, { now, furthest: now + furthestMs, elsewhere }));
}
