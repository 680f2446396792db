import type { App } from './app.ts';
import { writeCounts } from './audit/count-acts.ts';
import { forgetSessions, storeSessionUse } from './auth/sign-in/session.ts';
import { deleteOldValidations } from './bank-validation/delete-old-validations.ts';
import { settleDueValidations } from './bank-validation/holder/settle-validations.ts';
import { lookUpPayments } from './checkout/look-up-payments.ts';
import { anchorClock } from './db/anchor-clock.ts';
import { SchemaError } from './db/database.ts';
import { refuseNewerSchema } from './db/migrate.ts';
import { followClock } from './epochs/follow-clock.ts';
import { forgetProcess, keepProcess } from './health/keep-process.ts';
import { overtaking } from './lib/overtaking.ts';
import { watchLoad } from './lib/watch-load.ts';
import { removeEndedLimits } from './limits/consume-limit.ts';
import { deleteOldMails, deliverMails } from './mail/deliver-mails.ts';
import { deleteOldCallbacks } from './outbox/delete-old-callbacks.ts';
import { createCallbackDelivery } from './outbox/deliver-callbacks.ts';
import { cutFeed } from './outbox/feed/cut-feed.ts';
import { measureFeedHold } from './outbox/feed/measure-feed-hold.ts';
import { sealFeed } from './outbox/feed/seal-feed.ts';
import { writeReceipt } from './pages/receipt-mail.ts';
import { findElsewhere } from './payment-services/elsewhere.ts';
import { storeSecretUse } from './payment-services/note-secret-use.ts';
import { carryOutPayouts } from './payouts/carry-out-payouts.ts';
import { keepAnchors, keepLastAnchor } from './proof/anchors/keep-anchors.ts';
import { runVerification, type Verify } from './proof/run-verification.ts';
import { carryOutRefunds } from './refunds/carry-out-refunds.ts';
import { forgetRefusedRequests, storeRefusedRequests } from './refused-requests/store-refused-requests.ts';
import { indexPayments } from './search/index-payments.ts';
import { selectSearchProgress } from './search/search-queries.ts';
import { expireTransactions } from './transactions/expire-transactions.ts';

/** The pause of a loop without work. */
const IDLE_MS = 250;
const MAIL_EVERY_MS = 1_000;
const SCHEMA_EVERY_MS = 1_000;
const SESSION_USE_EVERY_MS = 5_000;
const SESSIONS_EVERY_MS = 60_000;
const FEED_EVERY_MS = 15_000;
const SEAL_EVERY_MS = 1_000;
const ANCHOR_EVERY_MS = 60_000;
const REFUSED_EVERY_MS = 1_000;
const PROCESS_EVERY_MS = 60_000;
const VERIFY_EVERY_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The most rows per step. */
const BATCH = 100;

export type Worker = {
  /** Stops the loops after the step under way. Changes by requests until `answered` are still recorded and sealed. */
  stop(answered?: Promise<unknown>): Promise<void>;
};

/**
 * Starts the background loops. Each runs separately, so slow merchants delay no expiry. While `mayLeave` returns false,
 * as after a restore, nothing is sent, refunded, paid out or expired. `onUnfit` is called, perhaps more than once, with
 * the reason why this process must no longer work on the store. `verify` verifies the books on a thread of its own.
 */
export function startWorker(
  app: App,
  mayLeave: () => Promise<boolean>,
  onUnfit: (reason: Error) => void,
  verify: Verify,
): Worker {
  const heldLoop = (name: string, step: () => Promise<number>, idleMs = IDLE_MS) =>
    loop(app, name, async () => ((await mayLeave()) ? step() : 0), idleMs);
  const timedLoop = (name: string, step: (app: App) => Promise<unknown>, everyMs = IDLE_MS) =>
    loop(app, name, () => step(app).then(() => 0), everyMs);
  const forgetLoop = (name: string, step: () => Promise<number>) => loop(app, name, hourly(app, step));
  const delivery = createCallbackDelivery(app, () => deliver.wake());
  const deliver = heldLoop('deliver', () => delivery.poll());
  const lookUps = overtaking(() => lookUpPayments(app, BATCH).catch(failed(app, 'look-up')));
  const refunds = overtaking(() => carryOutRefunds(app, BATCH).catch(failed(app, 'refund')));
  const payouts = overtaking(() => carryOutPayouts(app, BATCH).catch(failed(app, 'payout')));
  const mails = overtaking(() => deliverMails(app, writeReceipt).catch(failed(app, 'mail')));
  const isBusy = watchLoad();
  // Runs until the process has ended: a process without a heartbeat is reported as hanging.
  const listed = timedLoop('process', keepProcess, PROCESS_EVERY_MS);
  const loops = [
    deliver,
    loop(app, 'look-up', lookUps.step),
    heldLoop('refund', refunds.step),
    heldLoop('payout', payouts.step),
    heldLoop('mail', mails.step, MAIL_EVERY_MS),
    forgetLoop('forget-mails', () => deleteOldMails(app, () => findArriving(app), BATCH)),
    heldLoop('expire', () => expireTransactions(app, BATCH)),
    loop(app, 'validate', () => settleDueValidations(app, BATCH)),
    forgetLoop('forget', () => deleteOldValidations(app, BATCH)),
    heldLoop(
      'forget-callbacks',
      hourly(app, () => deleteOldCallbacks(app, BATCH)),
    ),
    forgetLoop('cut', () => cutFeed(app, () => selectSearchProgress(app.db), BATCH)),
    loop(app, 'limits', () => removeEndedLimits(app, BATCH)),
    timedLoop('secret-use', storeSecretUse),
    loop(app, 'search', async () => (isBusy() ? 0 : indexPayments(app))),
    timedLoop('session-use', storeSessionUse, SESSION_USE_EVERY_MS),
    loop(app, 'sessions', () => forgetSessions(app, BATCH), SESSIONS_EVERY_MS),
    timedLoop('refused-requests', storeRefusedRequests, REFUSED_EVERY_MS),
    loop(app, 'forget-refused', () => forgetRefusedRequests(app, BATCH), SESSIONS_EVERY_MS),
    timedLoop('seal', sealFeed, SEAL_EVERY_MS),
    timedLoop('anchor', keepAnchors, ANCHOR_EVERY_MS),
    loop(app, 'verify', () => runVerification(app, verify), VERIFY_EVERY_MS),
    timedLoop('audit', () => writeCounts(app), ANCHOR_EVERY_MS),
    timedLoop('schema', () => watchSchema(app, onUnfit), SCHEMA_EVERY_MS),
    timedLoop('feed', measureFeedHold, FEED_EVERY_MS),
    timedLoop('clock', () => anchorClock(app.db, app.now), ANCHOR_EVERY_MS),
    ...(app.config.mode === 'development'
      ? [timedLoop('travel', () => watchClock(app, onUnfit), SCHEMA_EVERY_MS)]
      : []),
  ];
  return {
    stop: async (answered) => {
      await Promise.all(loops.map((each) => each.stop()));
      for (const work of [lookUps, refunds, payouts, mails]) await work.settled();
      await delivery
        .drain()
        .catch((error: unknown) => app.log.warn({ err: error }, 'deliveries did not shut down cleanly'));
      await answered;
      await listed.stop();
      for (const [failed, end] of ENDS) await end(app).catch((error: unknown) => app.log.warn({ err: error }, failed));
    },
  };
}

/** The last steps of a process, in order. A failed step is logged with its text, and the next ones still run. */
const ENDS: readonly [failed: string, end: (app: App) => Promise<unknown>][] = [
  ['the last uses of Secret Tokens could not be kept', storeSecretUse],
  ['the last uses of sessions could not be kept', storeSessionUse],
  ['the last counts could not be kept', (app) => writeCounts(app, 'end')],
  ['the last refused requests could not be kept', storeRefusedRequests],
  ['this process is still listed', forgetProcess],
  ['the last anchor could not be kept', keepLastAnchor],
];

function failed(app: App, loop: string): (error: unknown) => number {
  return (error) => {
    app.log.error({ err: error, loop }, 'background work failed');
    return 0;
  };
}

/** Runs `step` until it finds nothing, and again an hour later by the clock of `app`, which can travel. */
function hourly(app: App, step: () => Promise<number>): () => Promise<number> {
  let nextAt = 0;
  return async () => {
    const now = app.now();
    if (now < nextAt) return 0;
    const found = await step();
    if (found === 0) nextAt = now + HOUR_MS;
    return found;
  };
}

/** Returns the environments that are being copied to this database. */
async function findArriving(app: App): Promise<ReadonlySet<number>> {
  return (await findElsewhere(app)).arriving;
}

/** Stops the process when a newer version has migrated the store: this version could then write wrong rows. */
async function watchSchema(app: App, onUnfit: (reason: Error) => void): Promise<void> {
  await refuseNewerSchema(app.db).catch((error: unknown) => {
    if (!(error instanceof SchemaError)) throw error;
    onUnfit(error);
  });
  app.outage.answered();
}

/** In development, follows a clock that was set ahead. A clock that was set back needs a new process. */
async function watchClock(app: App, onUnfit: (reason: Error) => void): Promise<void> {
  if (!(await followClock(app)))
    onUnfit(new Error('the clock of this installation was reset: start the service again'));
}

/**
 * Repeats `step` immediately while it finds work, and after a pause when it finds none or fails. `wake` ends the pause,
 * or skips the next one.
 */
function loop(
  app: App,
  name: string,
  step: () => Promise<number>,
  idleMs = IDLE_MS,
): { wake(): void; stop(): Promise<void> } {
  let stopped = false;
  let woken = false;
  let endPause = () => {};
  const wake = () => {
    woken = true;
    endPause();
  };
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, idleMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    while (!stopped) {
      woken = false;
      const found = await step().catch(failed(app, name));
      if (found === 0 && !woken) await pause();
    }
  };
  const running = run();
  return {
    wake,
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}
