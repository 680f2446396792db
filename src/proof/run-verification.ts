import type { App } from '../app.ts';
import { randomToken } from '../lib/ids.ts';
import { upsertUpkeep } from '../upkeep/upkeep-queries.ts';
import type { Progress } from './ask-verification.ts';
import {
  claimAsked,
  endClaim,
  endTries,
  releaseClaim,
  renewClaim,
  selectVerification,
  upsertReport,
} from './verification-queries.ts';
import type { VerificationReport } from './verification-report.ts';

/** Verifies the books off the thread that answers requests. Rejects when `signal` is aborted. */
export type Verify = (
  app: App,
  onProgress: (progress: Progress) => Promise<void>,
  signal: AbortSignal,
) => Promise<VerificationReport>;

/** A claim lasts longer than a failover of the database. */
const LEASE_MS = 60_000;
/** A claim that ends later than this was made before the clock was set back. */
const LONGEST_CLAIM_MS = 2 * LEASE_MS;
const RENEW_EVERY_MS = 10_000;
/** A verification that ends its process each time, for example for lack of memory, must not do so for ever. */
const MOST_TRIES = 3;

/**
 * Carries out the verification that a person asked for, unless another process does. After a crash another process, or
 * the next one, goes on when the claim ends. Returns 0 if there is nothing to do.
 */
export async function runVerification(app: App, verify: Verify): Promise<number> {
  const row = await selectVerification(app.db);
  const now = app.now();
  const furthest = now + LONGEST_CLAIM_MS;
  const heldUntil = row?.held_until ?? 0;
  if (row === null || row.asked_at === null || (heldUntil > now && heldUntil <= furthest)) return 0;
  if (row.tries >= MOST_TRIES && row.held_until !== null) {
    const given = await app.db.transaction((tx) => endTries(tx, { now, furthest, most: MOST_TRIES }));
    if (given) app.log.error(`the verification of the books was given up after ${MOST_TRIES} tries`);
    return 0;
  }
  const holder = randomToken(16);
  const claimed = await app.db.transaction((tx) => claimAsked(tx, holder, { now, furthest, until: now + LEASE_MS }));
  if (!claimed) return 0;
  await carryOut(app, holder, verify);
  return 1;
}

/** Stores what `books verify` of the command line found. */
export function noteVerification(app: App, report: VerificationReport): Promise<void> {
  return app.db.transaction(async (tx) => {
    await upsertReport(tx, app.now(), JSON.stringify(report));
    await upsertUpkeep(tx, { duty: 'books', done_at: app.now(), ok: report.ok });
  });
}

async function carryOut(app: App, holder: string, verify: Verify): Promise<void> {
  const lost = new AbortController();
  const signal = AbortSignal.any([app.stopping, lost.signal]);
  const claim = keepClaim(app, holder, () => lost.abort());
  try {
    const report = await verify(app, claim.told, signal);
    await claim.end();
    await endWith(app, holder, report);
  } catch (error) {
    await claim.end();
    if (app.stopping.aborted) await app.db.transaction((tx) => releaseClaim(tx, holder));
    // Another process has it, or takes it when the claim ends.
    else if (!lost.signal.aborted) throw error;
  }
}

/** Renews a claim with the progress that was told last. `onLost` is called if another process has taken it. */
function keepClaim(app: App, holder: string, onLost: () => void) {
  let progress: string | null = null;
  let renewing: Promise<void> | null = null;
  const renew = async () => {
    const isOurs = await app.db.transaction((tx) => renewClaim(tx, holder, app.now() + LEASE_MS, progress));
    if (!isOurs) onLost();
  };
  // While the database does not answer, the claim is renewed later, or ends.
  const renewOnce = () =>
    (renewing ??= renew()
      .catch(() => {})
      .finally(() => {
        renewing = null;
      }));
  const timer = setInterval(() => void renewOnce(), RENEW_EVERY_MS);
  const told = (one: Progress) => {
    progress = JSON.stringify(one);
    return renewOnce();
  };
  const end = async () => {
    clearInterval(timer);
    await renewing;
  };
  return { told, end };
}

async function endWith(app: App, holder: string, report: VerificationReport): Promise<void> {
  await app.db.transaction(async (tx) => {
    const isOurs = await endClaim(tx, holder, app.now(), JSON.stringify(report));
    if (isOurs) await upsertUpkeep(tx, { duty: 'books', done_at: app.now(), ok: report.ok });
  });
}
