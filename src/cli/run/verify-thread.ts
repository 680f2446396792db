import { parentPort, workerData } from 'node:worker_threads';
import { composeApp } from '../../compose-app.ts';
import type { Config } from '../../config.ts';
import { anchorClock } from '../../db/anchor-clock.ts';
import { followClock } from '../../epochs/follow-clock.ts';
import { lowerPriority } from '../../lib/lower-priority.ts';
import type { OnProgress } from '../../lib/walk.ts';
import type { Progress } from '../../proof/ask-verification.ts';
import { resumeWalks } from '../../proof/resume-walks.ts';
import { reportOf, type VerificationReport } from '../../proof/verification-report.ts';
import { verifyStore } from '../../proof/verify-store.ts';
import { WHOLE_STORE } from '../with-app.ts';

/** A message of the thread: how far it is, and at last the result. */
export type Said = Progress | { report: VerificationReport };

const SAY_EVERY_MS = 1000;
/** The reads are one after another; the mark reads a key beside them. */
const CONNECTIONS = 2;

lowerPriority();
say({ report: await verify(configOf(workerData as Config)) });

/** Resumes a verification that was interrupted, as `books verify` does. */
async function verify(config: Config): Promise<VerificationReport> {
  const fail = (error: unknown) => {
    throw error;
  };
  const app = composeApp(config, fail, WHOLE_STORE);
  try {
    // The service has prepared the store and its schema.
    await anchorClock(app.db, app.now);
    await followClock(app);
    const walks = await resumeWalks(app, 'books', { onProgress: sometimes() });
    const report = await reportOf(app, await verifyStore(app, [], [], walks.open));
    walks.end();
    return report;
  } finally {
    await app.close();
  }
}

/** Says the progress at most once a second. */
function sometimes(): OnProgress {
  let last = Number.NEGATIVE_INFINITY;
  return (what, rows, part) => {
    if (performance.now() - last < SAY_EVERY_MS) return;
    last = performance.now();
    say({ what, rows, part });
  };
}

/** A copy for a thread has bytes in place of buffers. */
function configOf(config: Config): Config {
  const { masterKey, masterKeyPrevious } = config;
  return {
    ...config,
    masterKey: Buffer.from(masterKey),
    masterKeyPrevious: masterKeyPrevious && Buffer.from(masterKeyPrevious),
    logLevel: 'error',
    databaseConnections: CONNECTIONS,
  };
}

function say(said: Said): void {
  parentPort?.postMessage(said);
}
